import { encodeBase58 } from '../../../base58.js';
import type { Account } from '../../bank/engine.js';
import { requireContextSlot, withContext } from '../method.js';
import type { Method } from '../method.js';
import { addressAt, configAt } from '../params.js';
import type { Config } from '../params.js';
import { invalidParams } from '../rpc-error.js';

const LARGEST_BASE58 = 128;
/** The account that holds the network's time. */
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

/** Accounts are read as the newest transaction left them, whatever the commitment. */
export const ACCOUNT_METHODS: Readonly<Record<string, Method>> = {
  getBalance: (node, params) => {
    const address = addressAt(params, 0);
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    return withContext(node, config, node.bank.engine.balance(address));
  },

  getAccountInfo: (node, params) => {
    const address = addressAt(params, 0);
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    if (address === CLOCK) node.bank.tick();
    return withContext(node, config, encodeAccount(node.bank.engine.account(address), config));
  },
};

function encodeAccount(account: Account | null, config: Config): unknown {
  if (account === null) return null;
  return {
    lamports: account.lamports,
    owner: account.owner,
    data: encodeData(account.data, config),
    executable: account.executable,
    rentEpoch: 0,
    space: account.data.length,
  };
}

function encodeData(data: Uint8Array, config: Config): unknown {
  const { offset = 0, length = data.length } = configAt([config['dataSlice']], 0);
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) throw invalidParams('Invalid params: dataSlice');
  const start = Number(offset);
  const part = data.subarray(start, start + Number(length));
  const { encoding } = config;
  switch (encoding) {
    case 'base64':
    // No account's data is parsed here; nodes then answer in base64 as well.
    case 'jsonParsed':
      return [Buffer.from(part).toString('base64'), 'base64'];
    case undefined:
    case null:
    case 'binary':
    case 'base58':
      if (part.length > LARGEST_BASE58) {
        throw invalidParams(
          `Encoded binary (base 58) data should be less than ${LARGEST_BASE58} bytes, please use Base64 encoding.`,
        );
      }
      return encoding === 'base58' ? [encodeBase58(part), 'base58'] : encodeBase58(part);
    default:
      throw invalidParams(`Invalid params: encoding ${JSON.stringify(encoding)} is not supported`);
  }
}
