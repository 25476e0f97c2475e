// What to look at when a trial does not hold: who answered what and when, what the journal, the chain and the ledger say of
// the wallet's transactions, the last lines of the audit log and the last words of the servers.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Lines that tell a trial that ran from nonce `from` on. What cannot be read is said and hides nothing else. */
export async function tellStory(world, { from, heard, lastWords }) {
  const parts = {
    answers: () => heardLines(heard),
    chain: () => chainLines(world),
    journal: () => journalLines(world, from),
    ledger: () => ledgerLines(world),
    allowances: () => world.standing(),
    'audit log': () => auditLines(world),
    'servers said': () => lastWords.split('\n').slice(-wordsKept),
  }
  const reported = []
  for (const [title, read] of Object.entries(parts)) {
    const lines = await Promise.resolve()
      .then(read)
      .catch((error) => [`cannot be read: ${error.message}`])
    reported.push(`${title}:`, ...lines.filter((line) => line.trim() !== '').map((line) => `  ${line}`))
  }
  return reported
}

const wordsKept = 30
const auditKept = 30

function heardLines(heard) {
  return heard.map(({ atMs, text, times }) => `${Math.round(atMs)} ms: ${text}${times > 1 ? ` (${times} times)` : ''}`)
}

async function chainLines({ chain, nonce, pendingNonce }) {
  const [head, mined, pending, pool] = await Promise.all([
    chain.getBlockNumber({ cacheTime: 0 }),
    nonce(),
    pendingNonce(),
    chain.getTxpoolStatus(),
  ])
  return [`head ${head}, nonce ${mined}, with the pool ${pending}, pending ${pool.pending}, queued ${pool.queued}`]
}

/** Every attempt from the first nonce of the trial on, those of the nonces before it that ended last as well. */
async function journalLines({ chain, store, devnet, wallet, nonce }, from) {
  const next = (await store.journal.nextNonce(devnet.chainId, wallet)) ?? 0
  const last = Math.max(next, await nonce())
  const lines = []
  for (let at = Math.max(0, from - 3); at < last; at += 1) {
    const attempts = await store.journal.byNonce(devnet.chainId, wallet, at)
    if (attempts.length === 0) lines.push(`nonce ${at}: none`)
    for (const { hash, attempt, state, requestId, step, reservationId, blockNumber } of attempts) {
      const receipt = await chain.getTransactionReceipt({ hash }).catch(() => null)
      const onChain = receipt === null ? 'no receipt' : `${receipt.status} in block ${receipt.blockNumber}`
      lines.push(
        `nonce ${at}.${attempt} ${hash} ${state} (block ${blockNumber ?? 'none'}), chain: ${onChain}, request ${requestId} step ${step}, reservation ${reservationId}`,
      )
    }
  }
  return lines
}

async function ledgerLines({ store, devnet }) {
  const [open, outflows] = await Promise.all([store.ledger.open(), store.ledger.outflows(devnet.chainId, 0)])
  const settled = outflows.filter(({ settledAt }) => settledAt !== null).toSorted((a, b) => a.settledAt - b.settledAt)
  return [
    ...open.map((reservation) => `open: ${print(reservation)}`),
    ...settled.slice(-6).map((outflow) => `settled: ${print(outflow)}`),
  ]
}

async function auditLines({ dataDir }) {
  const text = await readFile(join(dataDir, 'audit.jsonl'), 'utf8')
  return text.trim().split('\n').slice(-auditKept).map(shortened)
}

function shortened(line) {
  try {
    const { at, event, requestId, transaction, result, reservationId, deltas } = JSON.parse(line)
    return print({ at, event, requestId, transaction, result, reservationId, deltas })
  } catch {
    return line
  }
}

function print(value) {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${member}` : member))
}
