import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storeOrder } from '@svc/amm'
import { createCircuitBreaker, neverCounted } from '@svc/engine/switches'
import { openAuditLog } from '../../../engine/src/audit/audit.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDirectory } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'

let place: Awaited<ReturnType<typeof openDirectory>>
beforeEach(async () => {
  place = await openDirectory([{}, { state: 'scheduled', executeAfter: Date.now() + 60_000 }])
})
afterEach(() => place.store.close())

const svc = (...words: readonly string[]) => callCommand(['status', ...words, '--data-dir', place.dataDir])
const putPolicy = (policy: unknown) =>
  writeFile(join(place.dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
const openBreaker = () =>
  createCircuitBreaker({ dataDir: place.dataDir, limits: () => neverCounted, now: Date.now }).trip('odd', 'balance')

async function spend(amountUsdMicros: bigint, gasUsdMicros: bigint) {
  const limits = { perTransaction: 10n ** 12n, perSession: 10n ** 12n, daily: 10n ** 12n, dailyGas: 10n ** 12n }
  await place.store.ledger.reserve({
    id: 'r-1',
    requestId: 'q-1',
    principal: 'api-key:0011223344556677',
    chainId: 8453,
    amountUsdMicros,
    gasUsdMicros,
    limits,
    sessionIdleMs: 60_000,
    budgets: [{ name: 'loss', usdMicros: 1_500_000n, capUsdMicros: 10n ** 12n }],
  })
}

it('tells of all callers what is spent, left, waiting and out while nothing stops signing', async () => {
  await spend(12_000_000n, 500_000n)
  await putPolicy({ limitsUsd: { perTransaction: '100', perSession: '300', daily: '300' } })
  const shown = await svc()
  expect([shown.code, shown.stderr]).toEqual([0, ''])
  expect(shown.stdout).toMatch(/^Signing is on: /)
  expect(shown.stdout).toContain('Spent in the last 24 hours: 12.5 of 300 USD, 287.5 left')
  expect(shown.stdout).toMatch(/^ {2}\[##\.{38}\] {3}4 %$/m)
  expect(shown.stdout).toContain('Waiting: 1 for a person, 0 approved and not used, 1 for their time')
  expect(shown.stdout).toContain('Out: 0 transactions signed and not decided')
  expect(shown.stdout).toMatch(/^value in bad trades, at most +1\.5 +6 +\[#####\.+\] +25 %$/m)
  expect(JSON.parse((await svc('--json')).stdout)).toMatchObject({
    signs: 'everything',
    pause: null,
    breaker: { open: false },
    policy: { file: join(place.dataDir, 'policy.json'), problems: [] },
    spentUsd: '12.5',
    leftUsd: '287.5',
    budgetsUsd: { gas: { used: '0.5', cap: '6' }, exitGas: { used: '0', cap: '6' } },
    waiting: { approval: 1, approved: 0, scheduled: 1 },
    out: 0,
    orders: { open: 0, crossChain: 0, lastExpiresAt: null },
  })
  expect(shown.stdout).not.toContain('Orders: ')
})

it('says of signed orders that others may fill them, also while it is paused', async () => {
  await spend(12_000_000n, 0n)
  const address = `0x${'1'.repeat(40)}` as const
  const terms = storeOrder({
    reactor: address,
    nonce: 1n,
    deadline: 2_000_000_000,
    cosigner: address,
    tokenIn: address,
    amountIn: 1n,
    tokenOut: address,
    startAmountOut: 1n,
    endAmountOut: 1n,
    holder: address,
    quote: '{}',
  })
  await place.store.orders.record({
    kind: 'uniswapx',
    operationId: 'o-1',
    orderId: '0x01',
    requestId: 'q-1',
    principalId: 'api-key:0011223344556677',
    tool: 'submit_uniswapx_order',
    chainId: 8453,
    wallet: address,
    reservationId: 'r-1',
    why: '',
    spendUsdMicros: 1n,
    terms,
    signature: '0x01',
    signedAtBlock: 1n,
  })
  const { orders } = place.store
  const [signed] = await orders.open(null)
  await orders.record({ ...signed!, kind: 'cross_chain', operationId: 'o-2', orderId: '0x02', terms: '{}' })
  expect((await callCommand(['pause', '--data-dir', place.dataDir])).stdout).toContain('A signed order may be filled')
  const { stdout } = await svc()
  expect(stdout).toContain('Orders: 1 signed, which others may fill until 2033-05-18T03:33:20.000Z')
  expect(stdout).toContain('Cross-chain orders: 1 opened')
})

it('says what stops signing, and how to go on', async () => {
  await callCommand(['pause', '--reason', 'odd transfers', '--data-dir', place.dataDir])
  expect((await svc()).stdout).toMatch(/^Signing is paused since .* because "odd transfers"\. Go on with: svc resume/)
  expect(JSON.parse((await svc('--json')).stdout)).toMatchObject({
    signs: 'nothing',
    pause: { reason: 'odd transfers' },
  })
  await callCommand(['resume', '--data-dir', place.dataDir])
  await openBreaker()
  expect((await svc()).stdout).toMatch(
    /^Signing is stopped, but for what only brings funds home: the circuit breaker is open since .* \(odd\)\. .* svc resume --rearm/,
  )
  expect(JSON.parse((await svc('--json')).stdout)).toMatchObject({ signs: 'ways-home', breaker: { open: true } })
})

it('answers under a broken policy, too, and says what holds where there is none', async () => {
  await spend(12_000_000n, 0n)
  await putPolicy({ limitsUsd: { daily: '50' } })
  const { stdout } = await svc()
  expect(stdout).toContain('Nothing is signed: ')
  expect(stdout).toContain('  limitsUsd.perSession: is 1000 (default), above limitsUsd.daily, 50: write at most 50\n')
  expect(stdout).toContain('Spent in the last 24 hours: 12 USD\n')
  expect(JSON.parse((await svc('--json')).stdout)).toMatchObject({ signs: 'nothing', spentUsd: '12', leftUsd: null })
  await rm(join(place.dataDir, 'policy.json'))
  expect((await svc()).stdout).toContain('A server started now would take the defaults; one that runs and had the file')
})

it('shows how the last writes ended, what they spent and could have lost, by the audit log of the directory', async () => {
  expect((await svc()).stdout).not.toContain('LAST WRITES')
  const audit = await openAuditLog({ path: join(place.dataDir, 'audit.jsonl'), now: () => Date.UTC(2026, 0, 2) })
  for (let write = 0; write < 6; write += 1)
    await audit.append({ event: 'tx.refused', tool: 'execute_swap', code: `CODE_${write}` })
  const moved = { spentUsd: '12.5', lostUsd: '0.25', transactions: ['0xaa', '0xbb'] }
  await audit.append({ event: 'tx.settled', tool: 'add_liquidity', ...moved })
  await audit.append({ event: 'tx.intent', tool: 'add_liquidity' })
  await audit.close()
  const { stdout } = await svc()
  expect(stdout).toMatch(/^2026-01-02T00:00:00 {2}add_liquidity +settled +12\.5 +0\.25 +0xbb$/m)
  expect(stdout.match(/CODE_\d/g)).toEqual(['CODE_5', 'CODE_4', 'CODE_3', 'CODE_2'])
  expect(JSON.parse((await svc('--json')).stdout)).toMatchObject({
    lastWrites: [
      { tool: 'add_liquidity', outcome: 'settled', lostUsd: '0.25', txHash: '0xbb' },
      { code: 'CODE_5' },
      {},
      {},
      {},
    ],
  })
})

it('names the directory where no server has kept its state', async () => {
  const none = await callCommand(['status', '--data-dir', join(place.dataDir, 'nothing')])
  expect([none.code, none.stdout]).toEqual([1, ''])
  expect(none.stderr).toContain('does not exist')
})

it('stands behind the list of what waits while signing is stopped, and only then', async () => {
  const list = async () => (await callCommand(['approvals', 'list', '--data-dir', place.dataDir])).stdout
  expect(await list()).not.toContain('Signing')
  await openBreaker()
  expect(await list()).toMatch(/op-1[^]*\nSigning is stopped, but for what only brings funds home: /)
})
