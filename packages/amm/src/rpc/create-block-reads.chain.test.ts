import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { erc20Abi } from '../abis/tokens.ts'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { contractRead } from './contract-function.ts'
import { createBlockReads, readAtHead, query } from './query.ts'

const devnet = useDevnet()

/** What an account holds of USDC, and at a block also the time of that block. */
function balanceQueries(bench: ReturnType<typeof createReadsBench>) {
  const read = contractRead(bench.addressOf('USDC'), erc20Abi, 'balanceOf', [devnet().accounts[4]!.address])
  const now = query([read], ([balance]) => balance)
  return {
    now,
    past: query([read], ([balance]) => (atSeconds: number) => ({ balance, atSeconds })),
  }
}

it('reads the head and blocks before it in one request, with the time of each', async () => {
  const requests: string[] = []
  const bench = createReadsBench(devnet(), (body) => {
    requests.push(body)
    return null
  })
  const queries = balanceQueries(bench)
  const first = await bench.rpc.head(bench.chain)
  await devnet().fund(devnet().accounts[4]!.address, { USDC: '5' })
  await devnet().mineTo(Number(first.timestamp) + 1_000)
  const head = await bench.rpc.head(bench.chain)
  const reads = createBlockReads(bench.rpc, bench.chain, head)
  requests.length = 0
  const [now, again, before, at] = await Promise.all([
    reads.now(queries.now),
    reads.now(queries.now),
    reads.past(queries.past, first.number),
    reads.past(queries.past, head.number),
  ])
  expect(now! - before!.balance!).toBe(5_000_000n)
  expect([again, at!.balance]).toEqual([now, now])
  expect([before!.atSeconds, at!.atSeconds]).toEqual([Number(first.timestamp), Number(head.timestamp)])
  expect(requests).toHaveLength(1)
  expect(requests[0]!.split('eth_call')).toHaveLength(4)
})

it('takes what the endpoint does not have for an answer, and asks for it once', async () => {
  let failing = 0
  const bench = createReadsBench(devnet(), (body) => {
    if (!body.includes(oldBlock)) return null
    failing += 1
    const asked = [JSON.parse(body) as { id: number }].flat()
    const error = { code: -32_000, message: 'missing trie node deadbeef' }
    return Response.json(asked.map(({ id }) => ({ jsonrpc: '2.0', id, error })))
  })
  const queries = balanceQueries(bench)
  const reads = createBlockReads(bench.rpc, bench.chain, await bench.rpc.head(bench.chain))
  expect(await reads.past(queries.past, BigInt(oldBlock))).toBeNull()
  expect(failing).toBe(1)
  // A block that nobody has yet, and a chain whose Multicall3 did not stand then.
  expect(await reads.past(queries.past, 10n ** 9n)).toBeNull()
  expect(
    await createBlockReads(bench.rpc, { ...bench.chain, multicall3: nowhere }, reads.head).past(queries.past, 3n),
  ).toBeNull()
})

const oldBlock = '0x7'
const nowhere = '0x00000000000000000000000000000000000bad03'

it('reads at the head in the request that asks which block that is', async () => {
  let requests = 0
  const bench = createReadsBench(devnet(), () => {
    requests += 1
    return null
  })
  const { head, result } = await readAtHead(bench.rpc, bench.chain, balanceQueries(bench).now)
  expect(requests).toBe(1)
  expect(head.number).toBe((await bench.rpc.head(bench.chain)).number)
  const reads = createBlockReads(bench.rpc, bench.chain, head)
  expect(result).toBe(await reads.now(balanceQueries(bench).now))
})

it('reads at the head in one request also what takes several calls, and again where these tell of different blocks', async () => {
  let requests = 0
  let isTorn = false
  const count = () => {
    requests += 1
    return null
  }
  const bench = createReadsBench(devnet(), count)
  const torn = createReadsBench(devnet(), count, (text) => {
    const told = isTorn ? oneBlockLater(text) : text
    isTorn &&= told === text
    return told
  })
  const { now } = balanceQueries(bench)
  const many = {
    reads: Array.from({ length: 400 }, () => now.reads).flat(),
    finish: (found: readonly unknown[]) => found,
  }
  const { result } = await readAtHead(bench.rpc, bench.chain, many)
  expect(requests).toBe(1)
  const balance = (await readAtHead(bench.rpc, bench.chain, now)).result
  expect(result).toEqual(Array(400).fill(balance))
  isTorn = true
  requests = 0
  expect((await readAtHead(torn.rpc, torn.chain, many)).result).toEqual(result)
  expect([isTorn, requests], 'told of two blocks, it asked again').toEqual([false, 2])
})

/** What an endpoint answers to the last of several calls that tell their block: that it is a later one. */
function oneBlockLater(text: string): string {
  const answers = [JSON.parse(text) as { result?: unknown }].flat()
  const told = answers.findLast(({ result }) => typeof result === 'string' && result.length > 1_000)
  if (told === undefined) return text
  const { result } = told as { result: string }
  // Where the first of the results stands: after the place of the list, its length, a place for each, and those of the element.
  const [count] = [Number(`0x${result.slice(2 + 64, 2 + 128)}`)]
  const at = 2 + 64 * (2 + count + 4)
  const number = BigInt(`0x${result.slice(at - 64, at)}`)
  told.result = `${result.slice(0, at - 64)}${(number + 1n).toString(16).padStart(64, '0')}${result.slice(at)}`
  return JSON.stringify(answers)
}

it('reads again at the head where what it was told is of another block', async () => {
  const bench = createReadsBench(devnet())
  const head = await bench.rpc.head(bench.chain)
  const { now } = balanceQueries(bench)
  const before = await createBlockReads(bench.rpc, bench.chain, head).now(now)
  await devnet().fund(devnet().accounts[4]!.address, { USDC: '7' })
  const behind = { client: () => bench.rpc.client(bench.chain), head: async () => head }
  expect(await readAtHead(behind, bench.chain, now)).toEqual({ head, result: before })
  expect((await readAtHead(bench.rpc, bench.chain, now)).result).toBe(before! + 7_000_000n)
})
