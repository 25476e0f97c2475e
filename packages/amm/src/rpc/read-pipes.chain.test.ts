import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, getAddress, type Hex, http, parseAbi } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { erc20Abi } from '../abis/tokens.ts'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { contractRead } from './contract-function.ts'
import { type Pipe, readPipes } from './read-pipes.ts'

const devnet = useDevnet()
const hostile = getAddress('0x00000000000000000000000000000000000bad02')
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

const nameAbi = parseAbi(['function WETH9() view returns (address)'])

/** Which contract the router wraps with, and how much USDC that holds. */
function heldByWrapped(asked = bench.chain.amm.v3!.swapRouter02): Pipe<unknown> {
  const first = contractRead(asked, nameAbi, 'WETH9', [])
  const second = contractRead(bench.addressOf('USDC'), erc20Abi, 'balanceOf', [hostile])
  return [
    { ...first, inputAt: 4, outputAt: 0 },
    { ...second, inputAt: 4, outputAt: null },
  ]
}

describe('readPipes', () => {
  it('asks each contract with what the one before it answered, at one block', async () => {
    const client = bench.rpc.client(bench.chain)
    const weth = bench.chain.wrappedNative.address
    const { number } = await bench.rpc.head(bench.chain)
    await devnet().fund(weth, { USDC: '7' })
    const later = await bench.rpc.head(bench.chain)
    for (const [at, held] of [
      [number, 0n],
      [later.number, 7_000_000n],
    ] as const) {
      const answers = await readPipes(client, [heldByWrapped(), heldByWrapped()], at)
      expect(answers).toEqual([
        [weth, held],
        [weth, held],
      ])
    }
    await expect(readPipes(client, [], number)).resolves.toEqual([])
  })

  it('spoils no other pipe by a contract that burns all gas, answers with rubbish, reverts or is none', async () => {
    // JUMPDEST PUSH0 JUMP: runs for ever; INVALID: takes all gas at once; one byte; a revert; nothing.
    for (const code of ['0x5b5f56', '0xfe', '0x60015ff3', '0x5f5ffd', '0x'] as Hex[]) {
      const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
      await node.setCode({ address: hostile, bytecode: code })
      const client = bench.rpc.client(bench.chain)
      const { number } = await bench.rpc.head(bench.chain)
      const answers = await readPipes(client, [heldByWrapped(), heldByWrapped(hostile), heldByWrapped()], number)
      expect(answers.map((answer) => answer?.length ?? null)).toEqual([2, null, 2])
    }
  })

  it('knows nothing where an endpoint refuses such calls, and fails where it cannot be reached', async () => {
    const { number } = await bench.rpc.head(bench.chain)
    const answering = (error: object | null) => {
      const own = createReadsBench(devnet(), (body) => {
        if (!body.includes('"eth_call"')) return null
        if (error === null) return new Response('', { status: 500 })
        const asked: unknown = JSON.parse(body)
        const list = (Array.isArray(asked) ? asked : [asked]) as { id: number }[]
        const answers = list.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
        return Response.json(Array.isArray(asked) ? answers : answers[0])
      })
      return readPipes(own.rpc.client(bench.chain), [heldByWrapped()], number)
    }
    await expect(answering({ code: -32602, message: 'missing field to' })).resolves.toEqual([null])
    await expect(answering({ code: 3, message: 'execution reverted' })).resolves.toEqual([null])
    await expect(answering(null)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  })
})
