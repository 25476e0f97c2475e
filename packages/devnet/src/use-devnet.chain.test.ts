import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from './chain/chain-client.ts'
import { useDevnet } from './use-devnet.ts'

const address = '0x00000000000000000000000000000000000A11cE'
const devnet = useDevnet()
const same = useDevnet()
const tooEarly = (() => {
  try {
    return devnet().rpcUrl
  } catch (error) {
    return String(error)
  }
})()
const balance = async () => await connect(devnet().rpcUrl).getBalance({ address })
let otherPid = 0

test('a chain asked for before the tests run says why there is none', () => {
  expect(tooEarly).toContain('starts in beforeAll')
})

test('calls with the same options share a chain', () => {
  expect(same()).toBe(devnet())
})

test.each(['first', 'second'])('the %s test finds the chain as it was before any', async () => {
  expect(await balance()).toBe(0n)
  await devnet().fund(address, { ETH: '1' })
  expect(await balance()).toBe(10n ** 18n)
})

describe('other options', () => {
  const other = useDevnet({ chainId: 5 })

  test('get a chain of their own', async () => {
    otherPid = other().pid
    expect(other().chainId).toBe(5)
    expect(otherPid).not.toBe(devnet().pid)
    expect(await connect(other().rpcUrl).getChainId()).toBe(5)
  })

  beforeAll(async () => {
    await other().fund(address, { ETH: '1' })
    await connect(other().rpcUrl).setAutomine(false)
    await connect(other().rpcUrl).sendUnsignedTransaction({ from: address, to: address })
  })
})

describe('whoever asks for them later', () => {
  const other = useDevnet({ chainId: 5 })

  test('gets the same process as it was at its start, with a head of the present', async () => {
    const client = connect(other().rpcUrl)
    expect(other().pid).toBe(otherPid)
    expect(await client.getBalance({ address })).toBe(0n)
    expect(await client.getAutomine()).toBe(true)
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    const { timestamp } = await client.getBlock()
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(60)
  })

  afterAll(async () => {
    await other().stop()
  })
})

describe('after a process that ended', () => {
  const other = useDevnet({ chainId: 5 })

  test('another is there', async () => {
    expect(other().pid).not.toBe(otherPid)
    expect(await connect(other().rpcUrl).getChainId()).toBe(5)
  })
})
