import { readPrometheusText } from './prometheus-text.js';

describe('the text format of Prometheus', () => {
  it('is read as the format says, for the wanted names', () => {
    const text = [
      '# HELP a_seconds What it is: {not="a label"} 1',
      '# TYPE a_seconds histogram',
      'a_seconds_bucket{le="0.005"} 2',
      'a_seconds_bucket{ le = "+Inf" , } 3 1395066363000',
      'a_seconds_sum 1.5e-3',
      'a_seconds_count 3',
      'b{path="C:\\\\DIR\\n\\"x\\"",other="}"} -Inf',
      'b{} NaN',
      'unwanted{broken 1',
      '',
    ];
    expect(readPrometheusText(text.join('\n'), ['a_seconds', 'b'])).toEqual([
      { name: 'a_seconds_bucket', labels: { le: '0.005' }, value: 2 },
      { name: 'a_seconds_bucket', labels: { le: '+Inf' }, value: 3 },
      { name: 'a_seconds_sum', labels: {}, value: 0.0015 },
      { name: 'a_seconds_count', labels: {}, value: 3 },
      { name: 'b', labels: { path: 'C:\\DIR\n"x"', other: '}' }, value: -Infinity },
      { name: 'b', labels: {}, value: Number.NaN },
    ]);
  });

  it.each(['a', 'a 0x10', 'a{b="c" 1', 'a{b="c"d="e"} 1', 'a{b=c} 1', 'a 1 2 3', 'a{b="c\n"} 1', '<html>'])(
    'is refused: %j',
    (line) => {
      expect(() => readPrometheusText(line, ['a'])).toThrow(SyntaxError);
    },
  );

  it('is read in one pass, whatever it holds', () => {
    const long = `a{b="${'\\"'.repeat(500_000)}"} 1`;
    expect(readPrometheusText(long, ['a'])[0]?.labels['b']).toHaveLength(500_000);
    expect(() => readPrometheusText(`a{b="${'\\'.repeat(1_000_001)}`, ['a'])).toThrow(SyntaxError);
  });
});
