import { approvalsContract } from './contract/approvals.contract.js';
import { balancesContract } from './contract/balances.contract.js';
import { CountersBench } from './contract/counters.test-setup.js';
import type { OpenCounters } from './contract/counters.test-setup.js';
import { judgementContract } from './contract/judgement.contract.js';
import { limitsContract } from './contract/limits.contract.js';
import { rebuildingContract } from './contract/rebuilding.contract.js';
import { onceContract } from './contract/once.contract.js';
import { repetitionsContract } from './contract/repetitions.contract.js';
import { ruleBoundsContract } from './contract/rule-bounds.contract.js';
import { rulesContract } from './contract/rules.contract.js';
import { statesContract } from './contract/states.contract.js';

export { tripOf } from './contract/counters.test-setup.js';
export type { ContractCounters, OpenCounters } from './contract/counters.test-setup.js';

/** The contract of all counters, whatever their storage: the sentences of `port.ts` as tests. */
export function countersContract(name: string, open: OpenCounters): void {
  describe(`counters: ${name}`, () => {
    const bench = new CountersBench(open);
    judgementContract(bench);
    limitsContract(bench);
    rulesContract(bench);
    balancesContract(bench);
    approvalsContract(bench);
    ruleBoundsContract(bench);
    statesContract(bench);
    onceContract(bench);
    repetitionsContract(bench);
    rebuildingContract(bench);
  });
}
