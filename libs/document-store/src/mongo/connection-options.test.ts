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
});
