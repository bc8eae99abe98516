import { mongoOptions } from './connection-options.js';

describe('options of a MongoDB connection', () => {
  it.each([
    ['mongodb://127.0.0.1:27017', 'countersign'],
    ['mongodb://a:1,b:2/?replicaSet=r', 'countersign'],
    ['mongodb://user:p%40ss@a:1/fleet?replicaSet=r', 'fleet'],
    ['mongodb+srv://cluster.example/two%20words', 'two words'],
  ])('of %s name the database %s', (uri, dbName) => {
    expect(mongoOptions(uri)).toMatchObject({ dbName, writeConcern: { w: 'majority', journal: true } });
  });

  it('leaves limits that the URI sets to the URI, and keeps those of durability', () => {
    const options = mongoOptions('mongodb://a:1/?connecttimeoutms=9000&maxPoolSize=3&w=1&journal=false');
    expect(options).not.toHaveProperty('connectTimeoutMS');
    expect(options).not.toHaveProperty('maxPoolSize');
    expect(options).toMatchObject({ socketTimeoutMS: 10_000, writeConcern: { w: 'majority', journal: true } });
  });
});
