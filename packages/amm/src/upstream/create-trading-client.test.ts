import { Secret } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import { createTradingClient } from './create-trading-client.ts'
import type { TradingError, ClaimRequest } from './trading-wire.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const claim: ClaimRequest = {
  protocol: 'V3',
  tokenId: 7,
  position: {
    pool: { token0: address('1'), token1: address('2'), fee: 500, tickSpacing: 10 },
    tickLower: -10,
    tickUpper: 10,
  },
  walletAddress: address('3'),
  chainId: 1,
}
const transaction = { to: address('4'), from: address('3'), data: '0x00', value: '0x00', chainId: 1 }
const fine = () => Response.json({ requestId: 'r', claim: transaction })
const broken = (status: number) => () => Response.json({ errorCode: 'X', detail: 'sesame' }, { status })

type Answering = () => Response | Promise<Response>

/** A client on a clock that moves by its own pauses alone, and what it sent. */
function open(...answers: readonly Answering[]) {
  return openIn(undefined, ...answers)
}

function openIn(dialect: 'lp' | undefined, ...answers: readonly Answering[]) {
  const clock = { ms: 0 }
  const sent: {
    url: string
    at: number
    key: string | null
    type: string | null
    router: string | null
    body: unknown
  }[] = []
  const client = createTradingClient({
    apiKey: new Secret('sesame'),
    url: 'https://trade.example/v1',
    dialect,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const [key, type] = [request.headers.get('x-api-key'), request.headers.get('content-type')]
      const at = clock.ms
      const router = request.headers.get('x-universal-router-version')
      sent.push({ url: request.url, at, key, type, router, body: await request.json() })
      return (answers[sent.length - 1] ?? answers.at(-1) ?? fine)()
    },
    now: () => clock.ms,
    sleep: async (ms) => {
      clock.ms += ms
    },
    random: () => 0.5,
  })
  const fail = async (request = claim) =>
    client.claim(request).then(
      () => null,
      (error: unknown) => error as TradingError,
    )
  return { client, clock, sent, fail }
}

describe('the client of the trading API', () => {
  test('asks the route with the key in its header, and gives the transaction alone', async () => {
    const { client, sent } = open(fine)
    expect(await client.claim(claim)).toEqual(transaction)
    const url = 'https://trade.example/v1/lp/claim'
    expect(sent).toEqual([{ url, at: 0, key: 'sesame', type: 'application/json', router: null, body: claim }])
  })

  test('starts no more than three requests within any second, one after the other or together', async () => {
    const { client, sent } = open(fine)
    for (let call = 1; call <= 8; call++) await client.claim(claim)
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000])
    const pauses: number[] = []
    const together = createTradingClient({
      apiKey: new Secret('k'),
      url: 'https://trade.example',
      fetch: async () => fine(),
      now: () => 0,
      sleep: async (ms) => void pauses.push(ms),
    })
    await Promise.all(Array.from({ length: 8 }, () => together.claim(claim)))
    expect(pauses).toEqual([1_000, 1_000, 1_000, 2_000, 2_000])
  })

  test.each([429, 503, 504])('asks again after %s, up to three times, later each time', async (status) => {
    const passed = open(broken(status), fine)
    expect(await passed.client.claim(claim)).toEqual(transaction)
    const failed = open(broken(status))
    expect((await failed.fail())?.message).toBe(`answered with status ${status}`)
    expect(failed.sent.map(({ at }) => at)).toEqual([0, 400, 1_200])
  })

  test.each([
    [400, 'refused'],
    [401, 'key'],
    [404, 'none'],
    [500, 'down'],
  ])('does not ask again after %s, and repeats nothing of what was said', async (status, kind) => {
    const { sent, fail } = open(broken(status))
    const error = await fail()
    expect([error?.kind, sent.length]).toEqual([kind, 1])
    expect(error?.message).not.toContain('sesame')
  })

  test('ends with the time limit of the call, where a pause would reach beyond it', async () => {
    const { client, clock, sent, fail } = open(() => {
      clock.ms += 9_900
      return broken(503)()
    })
    expect((await fail())?.message).toBe('did not answer within 10000 ms')
    expect([clock.ms, sent.length]).toEqual([9_900, 1])
    expect(client).toBeDefined()
  })

  test('leaves an API alone that failed five times, asks once after half a minute, and goes on when that succeeds', async () => {
    const answers = { now: broken(500) }
    const { client, clock, sent, fail } = open(() => answers.now())
    for (let call = 1; call <= 5; call++) expect((await fail())?.kind).toBe('down')
    expect((await fail())?.kind).toBe('resting')
    expect(sent).toHaveLength(5)
    clock.ms += 30_000
    expect((await fail())?.kind).toBe('down')
    expect((await fail())?.kind).toBe('resting')
    clock.ms += 30_000
    answers.now = fine
    await client.claim(claim)
    await client.claim(claim)
    expect(sent).toHaveLength(8)
  })

  test('a refusal of one request is no failure of the API', async () => {
    const { sent, fail } = open(broken(400), broken(404))
    for (let call = 1; call <= 9; call++) expect((await fail())?.kind).toBe(call === 1 ? 'refused' : 'none')
    expect(sent).toHaveLength(9)
  })

  test.each([
    ['no JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['no transaction', () => Response.json({ requestId: 'r', claim: null })],
    ['a chain id as text', () => Response.json({ claim: { ...transaction, chainId: '1' } })],
    ['a data of megabytes', () => Response.json({ claim: { ...transaction, data: 'a'.repeat(300_000) } })],
    ['more than is read', () => Response.json({ claim: transaction, more: 'a'.repeat(2_000_000) })],
  ])('takes nothing of another form: %s', async (_what, answer) => {
    expect((await open(answer).fail())?.kind).toBe('down')
  })

  test.each([
    ['an id that no JSON number holds', { tokenId: 2 ** 53 }],
    ['an amount that is none', { expectedTokenOwed0RawAmount: '-1' }],
    ['a wallet that is no address', { walletAddress: 'me' }],
  ])('sends nothing of another form: %s', async (_what, change) => {
    const { sent, fail } = open(fine)
    expect([(await fail({ ...claim, ...change }))?.kind, sent.length]).toEqual(['refused', 0])
  })

  test('ends a call whose answer never comes', async () => {
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    const client = createTradingClient({ apiKey: new Secret('k'), url: 'https://trade.example', fetch, timeoutMs: 5 })
    await expect(client.claim(claim)).rejects.toMatchObject({ kind: 'down' })
  })
})

describe('the newer dialect', () => {
  const state = { poolLiquidity: '1', currentTick: 0, sqrtRatioX96: '4' }
  const deposit = {
    ...({ protocol: 'V4', position: claim.position, walletAddress: address('3'), chainId: 1 } as const),
    amount0: '70',
    amount1: '900',
    slippageTolerance: 0.5,
    deadline: 9,
  }
  const ofPosition = {
    protocol: 'V4',
    walletAddress: address('3'),
    chainId: 1,
    token0Address: address('1'),
    token1Address: address('2'),
    nftTokenId: '7',
  }
  const told = { independentToken: { tokenAddress: address('2'), amount: '900' }, slippageTolerance: 0.5, deadline: 9 }

  test('tells one amount of a deposit, and leaves the state of the pool to the service', async () => {
    const { client, sent } = openIn('lp', () => Response.json({ create: transaction, increase: transaction }))
    const pool = `0x${'5'.repeat(64)}`
    await client.create({ ...deposit, ...state }, pool)
    await client.create({ ...deposit, initialPrice: '4' }, pool)
    expect(await client.increase({ ...deposit, ...state, tokenId: 7 })).toEqual(transaction)
    const { token0Address, token1Address, nftTokenId: _, ...wallet } = ofPosition
    const pair = { token0Address, token1Address }
    const tickBounds = { tickLower: -10, tickUpper: 10 }
    const key = { fee: 500, tickSpacing: 10, hooks: address('0'), initialPrice: '4' }
    expect(sent.map(({ url, body }) => [url.slice('https://trade.example/v1'.length), body])).toEqual([
      ['/lp/create', { ...wallet, existingPool: { ...pair, poolReference: pool }, tickBounds, ...told }],
      ['/lp/create', { ...wallet, newPool: { ...pair, ...key }, tickBounds, ...told }],
      ['/lp/increase', { ...ofPosition, ...told }],
    ])
  })

  test('names positions in digits, takes whole percentages, and has no words for the rest', async () => {
    const { client, sent } = openIn('lp', () => Response.json({ claim: transaction, decrease: transaction }))
    await client.claim(claim)
    const removal = { ...claim, ...state, positionLiquidity: '1', slippageTolerance: 0.5 }
    await client.decrease({ ...removal, liquidityPercentageToDecrease: 25 })
    const { protocol: _, ...position } = ofPosition
    const wallet = { protocol: 'V3', walletAddress: address('3'), chainId: 1 }
    expect(sent.map(({ body }) => body)).toEqual([
      { ...wallet, tokenId: '7', collectAsWeth: true },
      { ...position, protocol: 'V3', liquidityPercentageToDecrease: 25, slippageTolerance: 0.5, withdrawAsWeth: true },
    ])
    for (const refused of [
      client.decrease({ ...removal, liquidityPercentageToDecrease: 33.3 }),
      client.claimRewards({ walletAddress: address('3'), chainId: 1, tokens: [address('1')], distributor: 'MERKL' }),
    ]) {
      await expect(refused).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('newer dialect'),
      })
    }
    expect(sent).toHaveLength(2)
  })
})

test('a quote goes back as it came, with the router that the chain has', async () => {
  const quote = { output: { amount: '5', token: address('2') }, route: [[{ type: 'v3-pool' }]] }
  const { client, sent } = open(
    () => Response.json({ routing: 'CLASSIC', quote, permitData: { values: {} } }),
    () => Response.json({ swap: transaction }),
  )
  const asked = {
    type: 'EXACT_INPUT',
    amount: '9',
    tokenIn: address('1'),
    tokenOut: address('2'),
    tokenInChainId: 1,
    tokenOutChainId: 1,
    swapper: address('3'),
    slippageTolerance: 0.5,
    routingPreference: 'BEST_PRICE',
    protocols: ['V2', 'V3', 'V4'],
  } as const
  const offered = await client.quote({ ...asked, protocols: [...asked.protocols] }, '2.0')
  expect(await client.swap({ quote: offered, deadline: 9 }, '2.1.1')).toEqual(transaction)
  expect(sent[1]?.body).toEqual({ quote, deadline: 9 })
  expect(sent.map(({ router }) => router)).toEqual(['2.0', '2.1.1'])
})

test('an order that others fill is no swap of ours', async () => {
  const { client } = open(() => Response.json({ routing: 'DUTCH_V2', quote: { output: { amount: '5' } } }))
  const ends = { tokenIn: address('1'), tokenOut: address('2'), tokenInChainId: 1, tokenOutChainId: 1 }
  const asked = { type: 'EXACT_INPUT', amount: '9', ...ends, swapper: address('3'), slippageTolerance: 1 } as const
  const quoted = client.quote({ ...asked, routingPreference: 'BEST_PRICE', protocols: ['V3'] }, '2.0')
  await expect(quoted).rejects.toMatchObject({ kind: 'down' })
})
