import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  hashMessage,
  http,
  parseEther,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { batchDelegate } from './contracts.gen.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet()
const payee: Address = '0x00000000000000000000000000000000000b47c8'
const { abi } = batchDelegate

beforeEach(async () => {
  await node().setCode({ address: account().address, bytecode: `0xef0100${devnet().batchDelegate.slice(2)}` })
})

describe('the batch delegate', () => {
  test('makes the calls of the account that runs it, in order, and tells each apart', async () => {
    const before = await reader().getBalance({ address: payee })
    const receipt = await execute([pay(1n), pay(2n)])
    expect(receipt.status).toBe('success')
    expect(await reader().getBalance({ address: payee })).toBe(before + 3n)
    expect(receipt.logs.map(({ address, topics }) => [address, BigInt(topics[1]!)])).toEqual([
      [account().address.toLowerCase(), 0n],
      [account().address.toLowerCase(), 1n],
    ])
  })

  test('takes calls from nobody else, neither at the account nor at itself', async () => {
    const stranger = devnet().accounts[1]!.address
    for (const address of [account().address, devnet().batchDelegate]) {
      const called = reader().simulateContract({
        account: stranger,
        address,
        abi,
        functionName: 'execute',
        args: [[pay(1n)]],
      })
      await expect(called).rejects.toThrow('NotTheAccount')
    }
  })

  test('makes no batch inside a batch', async () => {
    const data = encodeFunctionData({ abi, functionName: 'execute', args: [[pay(1n)]] })
    await expect(simulate([pay(1n), { to: account().address, value: 0n, data }])).rejects.toThrow('CallToItself')
  })

  test('undoes everything when one call fails, and says which and why', async () => {
    const failing: Address = '0x00000000000000000000000000000000000fa117'
    await node().setCode({ address: failing, bytecode: '0x63deadbeef5f526004601cfd' })
    const before = await reader().getBalance({ address: payee })
    const calls = [pay(5n), { to: failing, value: 0n, data: '0x' as Hex }]
    await expect(simulate(calls)).rejects.toThrow(/CallFailed[\s\S]*\(1, 0xdeadbeef\)/)
    expect((await execute(calls, 200_000n)).status).toBe('reverted')
    expect(await reader().getBalance({ address: payee })).toBe(before)
  })

  test('leaves the account able to receive what it could before', async () => {
    const { address } = account()
    const from = createWalletClient({ account: key(2), transport: http(devnet().rpcUrl) })
    const before = await reader().getBalance({ address })
    const hash = await from.sendTransaction({ chain: null, to: address, value: parseEther('1') })
    await reader().waitForTransactionReceipt({ hash, pollingInterval: 20 })
    expect(await reader().getBalance({ address })).toBe(before + parseEther('1'))
    const read = { address, abi, functionName: 'onERC721Received', args: [payee, payee, 1n, '0x'] } as const
    expect((await reader().simulateContract(read)).result).toBe('0x150b7a02')
    expect(await supports('0x01ffc9a7')).toBe(true)
    expect(await supports('0x4e2312e0')).toBe(true)
  })

  test('says of a signature whether the key of the account made it', async () => {
    const hash = hashMessage('for a contract')
    const check = async (signature: Hex) =>
      reader().readContract({
        address: account().address,
        abi,
        functionName: 'isValidSignature',
        args: [hash, signature],
      })
    expect(await check(await account().signMessage({ message: 'for a contract' }))).toBe('0x1626ba7e')
    expect(await check(await key(1).signMessage({ message: 'for a contract' }))).toBe('0xffffffff')
    expect(await check(await account().signMessage({ message: 'another' }))).toBe('0xffffffff')
    expect(await check('0x')).toBe('0xffffffff')
  })
})

type DelegateCall = { readonly to: Address; readonly value: bigint; readonly data: Hex }

function pay(value: bigint): DelegateCall {
  return { to: payee, value, data: '0x' }
}

async function execute(calls: readonly DelegateCall[], gas?: bigint) {
  const { address } = account()
  const wallet = createWalletClient({ account: account(), transport: http(devnet().rpcUrl) })
  const data = encodeFunctionData({ abi, functionName: 'execute', args: [calls] })
  const hash = await wallet.sendTransaction({ chain: null, to: address, data, ...(gas !== undefined && { gas }) })
  return reader().waitForTransactionReceipt({ hash, pollingInterval: 20 })
}

function simulate(calls: readonly DelegateCall[]): Promise<unknown> {
  const { address } = account()
  return reader().simulateContract({ account: address, address, abi, functionName: 'execute', args: [calls] })
}

function supports(id: Hex): Promise<boolean> {
  return reader().readContract({ address: account().address, abi, functionName: 'supportsInterface', args: [id] })
}

function key(index: number) {
  return privateKeyToAccount(devnet().accounts[index]!.privateKey)
}

function account() {
  return key(0)
}

function reader() {
  return createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
}

function node() {
  return createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
}
