import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { expect, test } from 'vitest'
import { countDurableCommits, createCommitClock } from '../bench/parts/durable-commit.mjs'

test('what the benchmark of a write compares with can be measured again and again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-commit-'))
  const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
  const commitMs = createCommitClock(store.journal, `0x${'12'.repeat(20)}`)
  for (let round = 0; round < 3; round += 1) expect(await commitMs()).toBeGreaterThan(0)
  await store.close()
  rmSync(directory, { recursive: true })
})

test('what is reserved, signed, sent, mined and settled for one transaction takes so many statements', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-statements-'))
  const counted = await countDurableCommits()
  const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
  const limits = { perTransaction: 10n, perSession: 100n, daily: 100n, dailyGas: 100n }
  const budgets = [{ name: 'loss', usdMicros: 1n, capUsdMicros: 10n }]
  const spend = {
    principal: 'p',
    chainId: 1,
    amountUsdMicros: 1n,
    gasUsdMicros: 1n,
    budgets,
    limits,
    sessionIdleMs: 60_000,
  }
  const from = `0x${'12'.repeat(20)}` as const
  const taken: Record<string, number>[] = []
  // The first opens a session.
  for (const nonce of [1, 2]) {
    counted.takeStatements()
    const hash = `0x${`${nonce}`.padStart(64, '0')}` as const
    const [requestId, reservationId] = [`r${nonce}`, `r${nonce}/0`]
    const slot = { requestId, step: 0, chainId: 1, from, nonce, attempt: 0 }
    const steps = {
      reserve: () => store.ledger.reserve({ ...spend, id: reservationId, requestId }),
      sign: () => store.journal.recordSigned({ ...slot, rawTransaction: '0x', hash, reservationId }),
      send: () => store.journal.mark(hash, 'broadcast'),
      confirm: () => store.journal.mark(hash, 'final'),
      settle: () => store.ledger.settle(reservationId, 1n, [{ hash, usdMicros: 1n, wei: 1n }], budgets),
    }
    const counts: Record<string, number> = {}
    for (const [step, take] of Object.entries(steps)) {
      await take()
      counts[step] = counted.takeStatements().length
    }
    taken.push(counts)
  }
  expect(taken[1]).toEqual({ reserve: 10, sign: 5, send: 3, confirm: 3, settle: 7 })
  counted.stop()
  await store.close()
  rmSync(directory, { recursive: true })
})
