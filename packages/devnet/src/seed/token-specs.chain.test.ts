import { createWalletClient, erc20Abi, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { connect } from '../chain/chain-client.ts'
import { hostileName, hostileSymbol } from './token-specs.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const token = (symbol: string) => devnet().tokens.find((each) => each.symbol === symbol)!

test('have the decimals they have on public chains', async () => {
  const decimals = async (symbol: string) =>
    await client().readContract({ address: token(symbol).address, abi: erc20Abi, functionName: 'decimals' })
  expect(await Promise.all(['WETH', 'USDC', 'USDT', 'DAI', 'WBTC'].map(decimals))).toEqual([18, 6, 6, 18, 8])
  expect(devnet().chain.tokens.map(({ symbol }) => symbol)).toEqual(['WETH', 'USDC', 'USDT', 'DAI', 'WBTC'])
})

test('the test accounts hold all of them', async () => {
  const [account] = devnet().accounts
  for (const { address, symbol } of devnet().tokens) {
    const balance = await client().readContract({
      address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account!.address],
    })
    expect({ symbol, held: balance > 0n }).toEqual({ symbol, held: true })
  }
})

test('the fee-on-transfer token keeps 1 % of what is sent', async () => {
  const [from, to] = devnet().accounts
  const { address } = token('FOT')
  const balanceOf = async (owner: `0x${string}`) =>
    await client().readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  const [sentBefore, receivedBefore] = [await balanceOf(from!.address), await balanceOf(to!.address)]
  const wallet = createWalletClient({
    account: privateKeyToAccount(from!.privateKey),
    transport: http(devnet().rpcUrl),
  })
  const args = [to!.address, parseEther('100')] as const
  await wallet.writeContract({ address, abi: erc20Abi, functionName: 'transfer', args, chain: null })
  await client().mine({ blocks: 1 })
  expect(sentBefore - (await balanceOf(from!.address))).toBe(parseEther('100'))
  expect((await balanceOf(to!.address)) - receivedBefore).toBe(parseEther('99'))
})

test('the hostile token answers with text that would harm a careless reader', async () => {
  const { address } = token('HOSTILE')
  const name = await client().readContract({ address, abi: erc20Abi, functionName: 'name' })
  const symbol = await client().readContract({ address, abi: erc20Abi, functionName: 'symbol' })
  expect(name).toBe(hostileName)
  expect(symbol).toBe(hostileSymbol)
  expect(name).toMatch(/ignore all previous instructions/i)
  for (const trick of [
    '\u001B[2J',
    '\u0000',
    '\u202E',
    '\u200B',
    '\uFEFF',
    '\u{E0001}',
    '\n',
    '"}],',
    '</tool_result>',
  ]) {
    expect(name).toContain(trick)
  }
  expect(name.length).toBeGreaterThan(2_000)
  expect(symbol).not.toBe('USDC')
  expect(symbol.normalize('NFKC').replaceAll(/[^\x20-\x7e]/g, '')).toBe('USD')
})
