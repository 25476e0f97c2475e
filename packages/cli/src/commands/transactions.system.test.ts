import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, type Store } from '@svc/store'
import { usePostgres } from '@svc/devnet/testing'
import { keccak256, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { UsageError } from '../usage-error.ts'
import { transactions } from './word-commands.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { askChain, call, connect } from '../clients.fixture.ts'
import { cancel } from '../transactions/requests.ts'
import { show, shownTransactions } from '../transactions/list.ts'
import { readyLine, runToEnd, runUp } from '../processes.fixture.ts'

const timeout = 120_000
const by = `operator:${userInfo().username}`

let directory: string
const opened: (() => unknown)[] = []
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(directory, { recursive: true, force: true })
})

const svc = (...words: readonly string[]) => svcWith({}, ...words)
const svcWith = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  callCommand(['transactions', ...words, '--data-dir', directory], env)

describe('svc transactions beside a running server', { timeout }, () => {
  it('shows what is out and cancels it while signing is paused; the caller hears of it, and the next write goes through', async () => {
    const world = runUp(['--data-dir', directory])
    opened.push(() => world.end())
    const ready = await readyLine(world)
    const client = await connect(ready)
    opened.push(() => client.close())
    await askChain(ready, 'evm_setAutomine', false)
    const swap = { chain: 'local', tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', idempotencyKey: 'held' }
    const waiting = client.callTool({ name: 'execute_swap', arguments: swap }, { timeout })
    const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
    opened.push(() => store.close())
    const out = () => store.transactions.list({ states: ['broadcast'], limit: 1 })
    await until(async () => (await out()).length === 1)
    const { hash, nonce } = (await out())[0]!
    const listed = await svc('list')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toMatch(
      new RegExp(`^${hash} +local +${nonce} +waits for a block +\\d+ s +execute_swap `, 'm'),
    )

    expect((await callCommand(['pause', '--data-dir', directory])).code).toBe(0)
    const cancelled = await runToEnd(['transactions', 'cancel', hash, '--data-dir', directory])
    expect(cancelled).toMatchObject({ code: 0, stderr: '' })
    expect(cancelled.stdout).toMatch(/^An empty transfer is out in its place: 0x[0-9a-f]{64}\n/)
    await askChain(ready, 'evm_mine')
    const answer = await waiting
    const noOp = /0x[0-9a-f]{64}/.exec(cancelled.stdout)![0]
    expect(answer).toMatchObject({
      isError: true,
      _meta: {
        'svc/error': {
          code: 'CANCELLED_BY_OPERATOR',
          details: [expect.objectContaining({ txHash: hash, minedInstead: noOp })],
        },
      },
    })
    await askChain(ready, 'evm_setAutomine', true)
    await until(async () => (await store.transactions.byHash(hash))?.asked?.outcome === 'cancelled')
    const shown = await svc('show', hash)
    expect(shown.stdout).toContain(`cancellation asked by ${by} at `)
    expect(shown.stdout).toContain(`done, an empty transfer was mined in its place: ${noOp}`)
    expect((await svc('list')).stdout).toBe('No transaction is out.\n')
    const audit = readFileSync(join(directory, 'audit.jsonl'), 'utf8')
    expect(audit).toMatch(new RegExp(`"event":"tx.cancelled".*"by":"${by}"`))
    expect(await svc('cancel', hash)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never mined, replaced'),
    })

    expect((await callCommand(['resume', '--data-dir', directory])).code).toBe(0)
    expect(await client.callTool({ name: 'execute_swap', arguments: swap })).toEqual(answer)
    expect(await call(client, 'execute_swap', { ...swap, idempotencyKey: 'next' })).toMatchObject({ status: 'success' })
  })
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(100)) if (await holds()) return
  throw new Error('did not happen within 60 s')
}

const postgres = usePostgres()

describe.each([
  ['SQLite', () => undefined],
  ['PostgreSQL', () => postgres().newSchema()],
])('svc transactions where no server runs, on %s', (_name, newPlace) => {
  let env: Readonly<Record<string, string>>
  let store: Store
  beforeEach(async () => {
    const url = await newPlace()
    env = url === undefined ? {} : { SVC_DATABASE_URL: url }
    const place = url === undefined ? { path: join(directory, 'state.db') } : { url }
    store = await openStore({ ...place, now: Date.now })
    opened.push(() => store.close())
  })

  it('says that nobody has taken a cancellation up, and leaves it for the next start', async () => {
    const hash = await record(store, { nonce: 4, state: 'broadcast' })
    const cancelled = await svcWith(env, 'cancel', hash, '--wait', '0')
    expect(cancelled).toMatchObject({ code: 0, stderr: '' })
    expect(cancelled.stdout).toMatch(/^Asked\. No server has taken it up within 0 s/)
    expect(await store.transactions.asked()).toMatchObject([{ hash, asked: { what: 'cancel', by, outcome: null } }])
    expect((await svcWith(env, 'list')).stdout).toContain('waits for a block, cancel asked')
    const again = await svcWith(env, 'cancel', hash, '--wait', '0', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ hash, state: 'broadcast', outcome: null, noOp: null })
  })
})

describe('svc transactions where no server runs', () => {
  let store: Store
  beforeEach(async () => {
    store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
    opened.push(() => store.close())
  })

  it('leaves what is said to have taken a nonce for the next start, and refuses it of what is decided', async () => {
    const hash = await record(store, { nonce: 4, state: 'refused' })
    const takenBy = `0x${'ab'.repeat(32)}` as const
    const resolved = await svc('resolve', hash, '--taken-by', takenBy, '--wait', '0')
    expect(resolved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Asked\. No server has proved it/) })
    expect(await store.transactions.asked()).toMatchObject([{ hash, asked: { what: takenBy, by } }])
    const mined = await record(store, { nonce: 5, state: 'final' })
    const late = await svc('resolve', mined, '--taken-by', takenBy, '--wait', '0')
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to resolve') })
  })

  it('lists what is not decided before the newest of the rest, and says how many of those it leaves out', async () => {
    const stuck = await record(store, { nonce: 1, state: 'broadcast' })
    const decided = []
    for (let nonce = 2; nonce < 6; nonce += 1) decided.push(await record(store, { nonce, state: 'final' }))
    const { found, leftOut } = await shownTransactions(store.transactions, 2)
    expect([found.map(({ hash }) => hash), leftOut]).toEqual([[stuck, ...decided.slice(2)], 2])
    const all = JSON.parse((await svc('list', '--all', '--json')).stdout) as {
      readonly transactions: readonly { readonly hash: string }[]
    }
    expect(all).toMatchObject({ leftOut: 0 })
    expect(all.transactions.map(({ hash }) => hash)).toEqual([stuck, ...decided])
    expect((await svc('list')).stdout.trim().split('\n')).toHaveLength(2)
  })

  it('tells the transactions of one request apart by what the audit log says each does, also where fees were raised', async () => {
    const of = { requestId: 'one', state: 'broadcast' } as const
    const approval = await record(store, { ...of, nonce: 1, step: 0 })
    const swap = await record(store, { ...of, nonce: 2, step: 1 })
    const raised = await record(store, { ...of, nonce: 2, step: 1, attempt: 1 })
    const line = (hash: string, label: string) =>
      JSON.stringify({ event: 'tx.submitted', requestId: 'one', tool: 'execute_swap', transaction: { hash, label } })
    const lines = [line(approval, 'approve the exact amount'), line(swap, 'sw\u202Eap')]
    writeFileSync(join(directory, 'audit.jsonl'), `${lines.join('\n')}\n`)
    const { stdout } = await svc('list')
    expect(stdout).toMatch(new RegExp(`^${approval} .* execute_swap +1 approve the exact amount +1 gwei`, 'm'))
    for (const hash of [swap, raised]) expect(stdout).toMatch(new RegExp(`^${hash} .* execute_swap +2 sw.u202eap`, 'm'))
    expect((await svc('show', raised)).stdout).toContain('  step        2 sw\\u202eap\n')
    expect(JSON.parse((await svc('show', approval, '--json')).stdout)).toMatchObject({
      step: 0,
      label: 'approve the exact amount',
    })
  })

  it("names a chain of the server's chains file", async () => {
    const path = join(directory, 'own-chains.json')
    writeFileSync(path, JSON.stringify([{ id: 1, name: 'our-own' }]), { mode: 0o600 })
    const hash = await record(store, { nonce: 1, state: 'broadcast' })
    const shown = await svcWith({ SVC_CHAINS_FILE: path }, 'show', hash)
    expect(shown.stdout).toContain('our-own (1)')
    const elsewhere = await svcWith({ SVC_CHAINS_FILE: join(directory, 'missing.json') }, 'show', hash)
    expect(elsewhere).toMatchObject({ code: 0, stdout: expect.stringContaining('ethereum (1)') })
  })

  it('tells what an ended request came to', async () => {
    const hash = await record(store, { nonce: 1, state: 'broadcast' })
    await store.transactions.ask(hash, { what: 'cancel', by: 'operator:\u202Eada' })
    await store.transactions.endAsked(hash, 'cancel', 'other-wallet')
    const shown = await svc('show', hash)
    expect(shown.stdout).toContain('asked by operator:\\u202eada')
    expect(shown.stdout).toContain('the server has no key for its wallet')
    expect(shown.stdout).toMatch(/^[ -~\n]*$/)
  })
})

it('svc transactions cancel says why what is unknown, over, or no write of a caller cannot be cancelled, and asks nothing', async () => {
  const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
  opened.push(() => store.close())
  const unknown = `0x${'77'.repeat(32)}`
  const cases = [
    [unknown, 'holds no transaction'],
    [await record(store, { nonce: 1, state: 'final' }), 'is mined; there is nothing left to cancel'],
    [await record(store, { nonce: 2, state: 'superseded' }), 'never mined, superseded'],
    [await record(store, { nonce: 3, state: 'mined' }), 'in a block already'],
    [await record(store, { nonce: 4, state: 'refused' }), 'declined'],
    [await record(store, { nonce: 5, state: 'broadcast', requestId: 'no-op:1:0x0:5' }), 'empty transfer'],
  ] as const
  for (const [hash, why] of cases) {
    await expect(cancel([hash, '--data-dir', directory], new Promise(() => {}))).rejects.toThrow(why)
  }
  expect(await store.transactions.asked()).toEqual([])
  await expect(show([unknown, '--data-dir', directory])).rejects.toThrow('holds no transaction')
})

it('svc transactions refuses what is unclear, and a directory that holds no state', async () => {
  const never = new Promise<never>(() => {})
  for (const words of [
    [],
    ['cancel'],
    ['cancel', '0x12'],
    ['show', `0x${'AB'.repeat(32)}`],
    ['list', '--everything'],
    ['resolve', `0x${'ab'.repeat(32)}`],
    ['resolve', `0x${'ab'.repeat(32)}`, '--taken-by', `0x${'ab'.repeat(32)}`],
    ['cancel', `0x${'ab'.repeat(32)}`, '--wait', 'long'],
  ]) {
    await expect(transactions(words, never)).rejects.toBeInstanceOf(UsageError)
  }
  expect(await svc('list')).toMatchObject({ code: 1, stderr: expect.stringContaining('holds no state of a server') })
  expect(readdirSync(directory)).toEqual([])
})

async function record(
  store: Store,
  {
    nonce,
    state,
    requestId = `request-${nonce}`,
    step = 0,
    attempt = 0,
  }: {
    nonce: number
    state: 'broadcast' | 'mined' | 'final' | 'refused' | 'superseded'
    requestId?: string
    step?: number
    attempt?: number
  },
) {
  const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
  const transaction = {
    type: 'eip1559',
    chainId: 1,
    nonce,
    to: account.address,
    gas: 21_000n + BigInt(attempt),
    maxFeePerGas: 10n ** 9n,
  } as const
  const rawTransaction = await account.signTransaction(transaction, { serializer: serializeTransaction })
  const slot = { chainId: 1, from: account.address, nonce, attempt, step, reservationId: null }
  const { hash } = await store.journal.recordSigned({
    ...slot,
    requestId,
    rawTransaction,
    hash: keccak256(rawTransaction),
  })
  await store.journal.mark(hash, state)
  return hash
}
