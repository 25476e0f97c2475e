import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, getAddress, http, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { erc20Abi } from '../abis/tokens.ts'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { type ContractRead, contractRead } from './contract-function.ts'
import { readAll } from './read-all.ts'

const devnet = useDevnet()
const hostile = getAddress('0x00000000000000000000000000000000000bad02')
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('readAll', () => {
  it('reads many contracts at one block, null where one reverts or is none', async () => {
    const [usdc, weth, nobody] = [bench.addressOf('USDC'), bench.addressOf('WETH'), devnet().accounts[3]!.address]
    const reads = [usdc, nobody, weth].map((token) => contractRead(token, erc20Abi, 'decimals', []))
    await expect(run(reads)).resolves.toEqual([6, null, 18])
    await expect(run([])).resolves.toEqual([])
    const block = (await bench.rpc.head(bench.chain)).number
    await devnet().fund(devnet().accounts[3]!.address, { USDC: '5' })
    const balance = contractRead(usdc, erc20Abi, 'balanceOf', [devnet().accounts[3]!.address])
    const [[before], [after]] = [await run([balance], block), await run([balance])]
    expect(after! - before!).toBe(5_000_000n)
  })

  it('spoils no other answer by a contract that burns all gas, or answers with rubbish', async () => {
    const decimals = [bench.addressOf('USDC'), hostile, bench.addressOf('WETH')].map((token) =>
      contractRead(token, erc20Abi, 'decimals', []),
    )
    // JUMPDEST PUSH0 JUMP: runs for ever; INVALID: takes all gas at once; the last answers with one byte.
    for (const code of ['0x5b5f56', '0xfe', '0x60015ff3'] as Hex[]) {
      await createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).setCode({
        address: hostile,
        bytecode: code,
      })
      await expect(run(decimals)).resolves.toEqual([6, null, 18])
    }
  })

  it('reads a thousand contracts in one request', async () => {
    let requests = 0
    const counting = createReadsBench(devnet(), () => {
      requests += 1
      return null
    })
    const reads = Array.from({ length: 1_000 }, () => contractRead(bench.addressOf('USDC'), erc20Abi, 'decimals', []))
    const { number } = await bench.rpc.head(bench.chain)
    const results = await readAll(counting.rpc.client(bench.chain), bench.chain, reads, number)
    expect(results).toHaveLength(1_000)
    expect(requests).toBe(1)
  })

  it('never takes a failing endpoint, or a chain without Multicall3, for an answer', async () => {
    const reads = [contractRead(bench.addressOf('USDC'), erc20Abi, 'decimals', [])]
    const failing = createReadsBench(devnet(), () => new Response('<html>', { status: 200 }))
    await expect(readAll(failing.rpc.client(bench.chain), bench.chain, reads, 1n)).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    })
    const nowhere = { ...bench.chain, multicall3: hostile }
    const { number } = await bench.rpc.head(bench.chain)
    await expect(readAll(bench.rpc.client(bench.chain), nowhere, reads, number)).rejects.toMatchObject({
      code: 'RPC_REFUSED',
    })
  })
})

async function run<Result>(
  reads: readonly ContractRead<Result>[],
  block?: bigint,
): Promise<readonly (Result | null)[]> {
  const at = block ?? (await bench.rpc.head(bench.chain)).number
  return readAll(bench.rpc.client(bench.chain), bench.chain, reads, at)
}
