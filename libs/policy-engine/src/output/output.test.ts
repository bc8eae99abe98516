import fc from 'fast-check';
import { compileProfile } from '../compile-profile.js';
import { decide } from '../decide.js';
import { emptyProfile } from '../profile/profile-fields.js';
import { wholeOutputRules } from '../profile/read-output-rules.js';
import type { Violation } from '../violation.js';
import { NO_SECRETS, PII_CASES, SECRETS } from './output.test-cases.js';
import { PII_KINDS } from '@countersign/contracts';

type Rules = Parameters<typeof wholeOutputRules>[0];

function judged(rules: Rules, payload: unknown): Violation | null {
  const profile = { ...emptyProfile('018f4d5e-0000-7000-8000-000000000001'), output_rules: wholeOutputRules(rules) };
  return decide(compileProfile(profile), { type: 'llm_response', payload }).violation;
}

const ALL: Rules = { blocked_pii: PII_KINDS, block_secrets: true, blocked_topics: ['insider trading'], max_length: 50 };

describe.each(PII_KINDS)('%s', (kind) => {
  it.each(PII_CASES[kind].holds)('is found in %s', (text) => {
    expect(judged({ blocked_pii: [kind] }, { note: [text] })).toMatchObject({
      violation_type: 'unsafe_output',
      severity: 'P1',
      rule: `output_rules.blocked_pii:${kind}`,
      extras: { category: 'pii', pii_kind: kind },
    });
  });

  it.each(PII_CASES[kind].not)('is not found in %s', (text) => {
    expect(judged({ blocked_pii: [kind] }, text)).toBeNull();
  });
});

describe('secrets', () => {
  it.each(SECRETS)('are found: %s', (text) => {
    expect(judged({ block_secrets: true }, `see ${text} there`)?.extras).toEqual({ category: 'secret' });
  });

  it.each(NO_SECRETS)('are not found in: %s', (text) => {
    expect(judged({ block_secrets: true }, text)).toBeNull();
  });

  it('are found as the value of a member with such a name', () => {
    expect(judged({ block_secrets: true }, { db: { password: 'Tr0ub4dor-3xyz' } })).not.toBeNull();
    expect(judged({ block_secrets: true }, { db: { title: 'Tr0ub4dor-3xyz' } })).toBeNull();
    expect(judged({ block_secrets: true }, { db: { pwd: 'Tr0ub4dor', nextPageToken: 1 } })).not.toBeNull();
    expect(judged({ block_secrets: true }, { pwd: '/srv/app1/x2', nextPageToken: 'CAESBwoFMTIzNDUaBlBU' })).toBeNull();
    expect(judged({ block_secrets: true }, { githubToken: 'a1B2c3D4e5F6g7H8i9J0' })).not.toBeNull();
    for (const name of ['pass', 'db_pass', 'dbPass', 'SMTP_PASS', 'contraseña', 'mot_de_passe', 'Kennwort', '密码']) {
      expect(judged({ block_secrets: true }, { [name]: 'Tr0ub4dor3' })?.extras).toEqual({ category: 'secret' });
    }
    expect(judged({ block_secrets: true }, { compass: 'N48213E7x', boarding_pass: 'LH588-24B17X' })).toBeNull();
  });

  it('are found as numbers after the name of a password', () => {
    const rules: Rules = { block_secrets: true, blocked_pii: ['email'] };
    for (const payload of [{ password: 12345678 }, { db: [{ passcode: 482913 }] }, { пароль: 48291377 }]) {
      expect(judged(rules, payload)?.extras).toEqual({ category: 'secret' });
    }
    expect(judged(rules, { password: '12345678' })).not.toBeNull();
    expect(judged(rules, [{ password: 12345678 }, 'a@b.example'])?.extras).toMatchObject({ pii_kind: 'email' });
    for (const name of ['password_length', 'passwords', 'pass_count', 'token', 'reset_password_at']) {
      expect(judged(rules, { [name]: 12345678 })).toBeNull();
    }
    expect(judged(rules, { password: 8, passcode: 12.5, pwd: -48291377 })).toBeNull();
  });

  it.each(['pass\u200bword', 'ｐａｓｓｗｏｒｄ', 'api\u00ad_key'])('are found after a name in disguise: %j', (name) => {
    expect(judged({ block_secrets: true }, { [name]: 'Tr0ub4dor-3xyz' })).not.toBeNull();
  });
});

describe('numbers of JSON', () => {
  it.each([
    ['credit_card', { card: 4111111111111111 }],
    ['credit_card', [[4111111111111111]]],
    ['credit_card', 4111111111111111],
    ['us_ssn', { ssn: 123456789 }],
    ['us_ssn', { employee: { socialSecurityNumber: 123456789 } }],
    ['us_ssn', { ssn: '123456789' }],
    ['us_itin', { taxpayer_id: 999881234 }],
    ['phone', { phone: 2125550100 }],
    ['phone', { mobilePhone: 442079460958 }],
    ['phone', { phone_number: '442079460958' }],
    ['uk_nhs', { nhs: 9434765919 }],
    ['de_steuer_id', { steuerId: 36574261809 }],
    ['nl_bsn', { bsn: 111222333 }],
    ['nl_bsn', { customerBsn: '111222333' }],
    ['es_dni', { dni: '12345678Z' }],
    ['pl_pesel', { pesel: 44051401359 }],
  ] as const)('are read as texts: %s in %j', (kind, payload) => {
    expect(judged({ blocked_pii: [kind] }, payload)?.extras).toMatchObject({ pii_kind: kind });
  });

  it.each([
    { bytes: 4294967295, total: 3452340000, id: 123456789, at: 1764000000000 },
    { ratio: 0.4111111111111111, sum: 411111111111.1111 },
    [1764000000, 2125550100, 5, -1, 1e21, 1e300],
  ])('are not personal data by their length: %j', (payload) => {
    expect(judged({ blocked_pii: PII_KINDS }, payload)).toBeNull();
  });

  it('are not telephones as coordinates', () => {
    for (let i = 0; i < 400; i += 1) {
      const [lat, lon] = [(i * 0.424_242_7 - 84.9).toFixed(6), (i * 0.891_919_3 - 178.4).toFixed(6)];
      for (const payload of [`at ${lat}, ${lon}`, `${lat},${lon}`, { lat, lon }, [lat, lon], { at: `${lat} ${lon}` }]) {
        expect(judged({ blocked_pii: ['phone'] }, payload)).toBeNull();
      }
    }
  });

  it('match a topic, and have no length', () => {
    expect(judged({ blocked_topics: ['4711'] }, { project: 4711 })).not.toBeNull();
    expect(judged({ max_length: 1 }, { a: 123456, b: [1234567890123] })).toBeNull();
  });
});

describe('texts', () => {
  it('are read at any depth, the names of members too', () => {
    const rules: Rules = { blocked_pii: ['email'] };
    expect(judged(rules, [[{ a: { b: ['x', { c: 'a@b.example' }] } }]])).not.toBeNull();
    expect(judged(rules, { 'a@b.example': 1 })).not.toBeNull();
    let deep: unknown = 'a@b.example';
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    expect(judged(rules, deep)).not.toBeNull();
    for (const payload of [null, 1, 1234567, true, {}, [], undefined]) expect(judged(rules, payload)).toBeNull();
  });

  it.each([
    ['ａ＠ｂ．ｅｘａｍｐｌｅ', 'email'],
    ['a\u200b@\u2060b.\u00adexample', 'email'],
    ['４１１１ １１１１ １１１１ １１１１', 'credit_card'],
    ['4\u200d111\ufeff1111\u200b11111111', 'credit_card'],
    ['４１１１\u00a0１１１１\u00a0１１１１\u00a0１１１１', 'credit_card'],
    ['①②③-④⑤-⑥⑦⑧⑨', 'us_ssn'],
  ] as const)('are read without disguise: %j', (text, kind) => {
    expect(judged({ blocked_pii: [kind] }, text)?.extras).toMatchObject({ pii_kind: kind });
  });

  it.each([
    'INSIDER Trading',
    'some insider \t\n trading tips',
    'in\u200bsider trad\u00ading',
    'ＩＮＳＩＤＥＲ ｔｒａｄｉｎｇ',
    'insider\u00a0trading',
    'insider\u0085trading',
    'insider \u0085 trading',
    'ⓘnsider trading',
  ])('match a topic in any case and spacing: %j', (text) => {
    expect(judged({ blocked_topics: ['Insider  Trading'] }, text)).toMatchObject({
      rule: 'output_rules.blocked_topics',
      extras: { category: 'topic', matched_topic: 'Insider  Trading' },
    });
  });

  it('match no topic that is not there, and fold case as Unicode does', () => {
    expect(judged({ blocked_topics: ['insider trading'] }, ['insider', 'trading'])).toBeNull();
    expect(judged({ blocked_topics: ['insider trading'] }, 'insidertrading')).toBeNull();
    expect(judged({ blocked_topics: ['STRASSE'] }, 'Straße')).not.toBeNull();
    expect(judged({ blocked_topics: ['ὈΔΥΣΣΕΎΣ'] }, 'ὀδυσσεύς')).not.toBeNull();
    const small = 'ΐ λόγος';
    expect(judged({ blocked_topics: [small] }, small.toUpperCase())).not.toBeNull();
    expect(judged({ blocked_topics: [small.toUpperCase()] }, small)).not.toBeNull();
  });

  it.each([
    ['layoffs', 'the lay**offs** of May'],
    ['layoffs', 'lay<b>offs</b>'],
    ['layoffs', 'lay<!-- x -->offs'],
    ['layoffs', 'lay&shy;offs'],
    ['project titan', 'project-titan'],
    ['project titan', 'PROJECT_TITAN'],
    ['project titan', 'project <b>titan</b>'],
    ['project titan', 'project<br/>titan'],
    ['project titan', '| Project | Titan |'],
    ['project titan', 'project\u2011titan'],
    ['project titan', 'project&nbsp;titan'],
    ['project titan', 'project%20titan'],
    ['project-titan', 'project titan'],
    ['f**k', 'what the f**k'],
    ['update ', 'the update, please'],
    ['update ', 'an update'],
    [' date', 'a date-time'],
    ['c++ ', 'we use C++ here'],
    [' titan ', 'project-titan'],
    ['layoff', 'the layoffs of May'],
    ['date', 'dated, dates'],
    ['layoffs', 'massLayoffs'],
    ['layoffs', 'HRLayoffs'],
    ['layoffs', 'planHRLayoffsFor2027'],
    ['pdfs', 'allPDFs'],
    ['layoffs', '{"mass_layoffs": 1}'],
    ['layoffs', 'LaYoFfS'],
    ['layoffs', '2026layoffs'],
    ['layoffs', '#layoffs/2026'],
    ['layoffs', '\\nlayoffs'],
    ['layoffs', 'playoffs, then layoffs'],
    ['layoffs', '裁员layoffs'],
    ['裁员', '公司裁员计划'],
    ['リストラ', '大規模リストラ計画'],
    ['استقالة', 'الاستقالة'],
    ['увольнен', 'Увольнения'],
    ['*entlassung', 'Massenentlassungen'],
    ['*date', 'updated'],
    ['* update', 'see * update'],
    ['4711', 'RE4711'],
    ['№5', 'see №5 there'],
    ['№5', 'see No 5 there'],
    ['5 kg', '5㎏'],
  ])('match %j in %j', (topic, text) => {
    expect(judged({ blocked_topics: ['other', topic] }, text)?.extras).toEqual({
      category: 'topic',
      matched_topic: topic,
    });
  });

  it.each([
    ['update ', '{"updated_at": 1}'],
    ['update ', 'updates'],
    [' date', 'update'],
    [' titan ', 'titanium'],
    ['update ', '更新updateé'],
    ['f**k', 'Kafka'],
    ['project titan', 'projecttitan'],
    ['layoffs', 'the teams in the playoffs'],
    ['layoffs', 'Playoffs 2026, PLAYOFFS'],
    ['layoffs', 'NBAPlayoffs, PLAYOFFSeason'],
    ['layoffs', 'play**offs**'],
    ['date', 'updated'],
    ['union', 'reunion, communion'],
    ['увольнения', 'недоувольнения'],
    ['4711', '14711'],
    ['*titan ', 'titanium'],
    ['*date', 'up-dat-e'],
  ])('do not match %j in %j', (topic, text) => {
    expect(judged({ blocked_topics: ['other', topic] }, text)).toBeNull();
  });

  it('find each of many topics that share beginnings and ends', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 6 });
    const word = letters.filter((text) => text.trim() !== '');
    const topic = fc.oneof(
      word,
      word.map((text) => `*${text.trimStart()}`),
    );
    fc.assert(
      fc.property(
        fc.array(topic, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', ' ') }),
        (topics, text) => {
          const plain = (one: string): string => one.replace(/ +/g, ' ');
          const wanted = topics.some((one) => {
            const begin = one.startsWith('*') ? '' : '(?<![ab])';
            const end = one.endsWith(' ') ? '(?![ab])' : '';
            return new RegExp(`${begin}${plain(one).trim().replace('*', '')}${end}`).test(plain(text));
          });
          expect(judged({ blocked_topics: topics }, text) !== null).toBe(wanted);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are counted in characters, values alone', () => {
    expect(judged({ max_length: 4 }, { long_name: 'ab', b: ['cd'] })).toBeNull();
    expect(judged({ max_length: 3 }, { long_name: 'ab', b: ['cd'] })).toMatchObject({
      rule: 'output_rules.max_length:3',
      detail: 'limit 3 characters, 4 sent',
      extras: { category: 'length', length: 4 },
    });
    expect(judged({ max_length: 1 }, '😀')).toBeNull();
    expect(judged({ max_length: 0 }, '')).toBeNull();
    expect(judged({ max_length: 0 }, 'a')).not.toBeNull();
  });
});

describe('a violation', () => {
  it('is the first in the order of categories and kinds, not of strings or entries', () => {
    const card = '4111111111111111';
    const kinds = [...PII_KINDS].reverse();
    expect(judged({ ...ALL, blocked_pii: kinds }, ['a@b.example', card])?.extras).toMatchObject({
      pii_kind: 'credit_card',
    });
    expect(judged(ALL, ['insider trading', SECRETS[0]!])?.extras).toMatchObject({ category: 'secret' });
    expect(judged(ALL, ['x'.repeat(60), 'insider trading'])?.extras).toMatchObject({ category: 'topic' });
  });

  it('never quotes what was found', () => {
    const found = [...PII_KINDS.flatMap((kind) => PII_CASES[kind].holds), ...SECRETS];
    for (const text of found) {
      expect(JSON.stringify(judged({ blocked_pii: PII_KINDS, block_secrets: true }, text))).not.toContain(text);
    }
  });
});

/** Each makes some search restart repeatedly. If one of them were quadratic, this would not end in time. */
const HOSTILE: readonly string[] = [
  '1 ',
  '4111 ',
  '+44 1 ',
  '+1000001 ',
  '((((1',
  'a@',
  'GB12 ',
  'a:b:',
  '::1:2::',
  '1.2.3.',
  'bc1q',
  'eyJ-',
  'eyJaaaaaaaa.',
  'sk-',
  'password: ',
  '://a:',
  '\u0301\u0316',
  '\uff9e\u0301',
  '\ufdfa',
  'a\u200b',
  'x \t',
  'insider ',
  '00:1A:2B:3C:4D:5',
  '4111\t1111\n',
  '1                       ',
  '| 1 |_-',
  '&#52;',
  '&#6',
  '%F0%9F%98%8',
  '\\u0034',
  '<b ',
  '<!--',
  '**1',
  '_1__',
  '٤',
  'token ',
  'password value ',
  'LS0tLS1CRUdJTi',
  'curl -u ',
  'curl -',
  'A_KEY=',
  'A_',
  'db_pass',
  'mot de passe ',
  'пароль ',
  'RSSMRA85T',
  '85.07.30-',
  '12345678',
  '4111,',
  '4111:1111+',
  '1.2.3.4 and ',
  'v1.2.3.4 ',
  'AWB 212 555 0100 ',
  '212 555 100 EUR ',
  'git@a.example:b ',
];

describe('time', () => {
  it.each(HOSTILE)('is linear in a payload of %j over and over', (text) => {
    const payload = text.repeat(Math.ceil(262_144 / text.length)).slice(0, 262_144);
    const rules = {
      ...ALL,
      blocked_topics: ['insider insider insider trading', 'x x x y', '1 1 1 1 2'],
      max_length: null,
    };
    expect(judged(rules, payload)?.rule ?? null).toBe(
      text === 'bc1q' ? null : (judged(rules, payload.slice(0, 4000))?.rule ?? null),
    );
  });

  it('is linear where hundreds of topics are ends of each other', () => {
    const topics = Array.from({ length: 500 }, (_, index) => 'a'.repeat(index + 1));
    const texts = [2_000, 262_144].map((length) => `x${'a'.repeat(length)}`);
    for (const text of texts) expect(judged({ blocked_topics: topics }, text)).not.toBeNull();
    expect(judged({ blocked_topics: topics.slice(0, 8) }, texts[1])).toBeNull();
  });
});
