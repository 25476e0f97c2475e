import type { StopCause } from '@svc/tool-server/until-stopped'
import { openOperations } from '../approvals/open-operations.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseWholeNumber } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { findTransaction, readHashAndFlags, untilTaken, followWith } from './named-transaction.ts'
import { outcomeWords, stateWords } from './state-words.ts'

/**
 * `svc transactions resolve HASH --taken-by HASH`: names the transaction that used the nonce of another up, for a server
 * whose endpoint keeps no state of blocks that old. Nothing is believed: the server reads the named one in its block. Exit
 * code 1 when that proves nothing.
 */
export async function resolve(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { hash, flags } = readHashAndFlags('resolve', argv, {
    values: ['data-dir', 'wait', 'taken-by'],
    switches: ['json'],
  })
  const takenBy = takerOf(flags['taken-by'], hash)
  const waitSeconds = parseWholeNumber('--wait', flags.wait, 0, 3_600) ?? 15
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { state } = await findTransaction(open, hash)
    if (state !== 'signed' && state !== 'broadcast' && state !== 'refused') {
      throw new Error(`${hash} is ${stateWords[state]}; there is nothing to resolve.`)
    }
    await open.transactions.ask(hash, { what: takenBy, by: operatorName() })
    const { transaction } = await untilTaken(open.transactions, hash, { waitSeconds, stopped })
    const outcome = transaction.asked?.outcome ?? null
    const text =
      outcome === null
        ? `Asked. No server has proved it within ${waitSeconds} s; one that runs does as soon as it can. Follow it: ${followWith(hash, flags['data-dir'])}`
        : `${outcome === 'superseded' ? 'Resolved' : 'Not resolved'}: ${outcomeWords[outcome]}.`
    process.stdout.write(`${flags.json ? JSON.stringify({ hash, state: transaction.state, outcome }) : text}\n`)
    return outcome === null || outcome === 'superseded' ? 0 : 1
  } finally {
    await open.close()
  }
}

function takerOf(text: string | undefined, hash: string): `0x${string}` {
  if (text === undefined || !/^0x[0-9a-f]{64}$/.test(text) || text === hash) {
    throw new UsageError('--taken-by takes the hash of the transaction that used the nonce up: 0x and 64 hex digits')
  }
  return text as `0x${string}`
}
