import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import type { Offer } from '@svc/devnet/blocks'
import { type Address, type Hex, numberToHex, parseEther, parseTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type Intent, ToolError } from '@svc/amm'
import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import { allowancesOf } from '../../../call/step.ts'
import { testClient } from '../../../../../tool-server/src/fair-value/attack-kit.fixture.ts'
import { worthOf } from '../../../../../tool-server/src/fair-value/worth.fixture.ts'
import { openPipeline } from '../../../fixtures/open-pipeline.fixture.ts'
import { operatorPolicy } from '../guards/operator-policy.fixture.ts'
import type { Replayable } from '../programs/replayable.fixture.ts'
import type { QuotedMarket } from '../world/outside-market.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import type { ChainBlocks } from './open-blocks.fixture.ts'
import { type ChainMarket, deal } from './open-market.fixture.ts'
import { openPrices } from './open-prices.fixture.ts'
import { planStep } from './plan-step.fixture.ts'

/** The agent of a program behind the real pipeline, under the policy of the search, with what it holds there. No block is mined for it. */
export async function openAgent(options: AgentOptions): Promise<ChainAgent> {
  const { devnet, market, blocks, replayable, sightings } = options
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAddress(privateKey)
  const chain = testClient(devnet)
  const prices = openPrices(devnet, market, { ...replayable, sightings })
  await chain.setBalance({ address: wallet, value: parseEther('100') })
  for (const { address, balance } of market.tokens.values()) await deal(devnet, wallet, address, BigInt(balance))
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-'))
  const pipeline = await openPipeline(devnet, {
    dataDir,
    privateKey,
    chain: prices.chain,
    policy: operatorPolicy(replayable.strict ? 'strict' : 'lenient'),
    engine: { prices: prices.prices },
  })

  /** What the calls need is granted beforehand, so that no approval takes a block of its own. */
  async function grant({ approvals }: Intent): Promise<void> {
    for (const { token, spender, amount } of allowancesOf(approvals, pipeline.chain.permit2)) {
      const params = [wallet, spender, token, numberToHex(amount)] as const
      await chain.request<Grant>({ method: 'anvil_setERC20Allowance', params })
    }
  }

  /** Holds what the intent's own call signs until somebody mines it; the rest is mined at once. */
  function holdSigned({ calls }: Intent): Promise<Held> {
    let isHeld = false
    return new Promise((signed) => {
      pipeline.network.fetch = async (input, init) => {
        const raw = rawIn(init)
        if (raw === null) return fetch(input, init)
        const { data, maxPriorityFeePerGas: tipWei = 0n, maxFeePerGas: mostWei = 0n } = parseTransaction(raw)
        if (isHeld || data !== calls.at(-1)?.data) {
          const response = await fetch(input, init)
          await blocks.mineNow()
          return response
        }
        isHeld = true
        return new Promise((answer, fail) => {
          const send = () => fetch(input, init).then(answer, fail)
          signed({ offer: { tipWei, mostWei }, send })
        })
      }
    })
  }

  return {
    async decide(step) {
      pipeline.clock.offsetMs = (await prices.standAt(step)) * 1000 - Date.now()
      const intent = await planStep(pipeline, market, step).catch(endOf)
      if ('code' in intent) return intent
      await grant(intent)
      const held = holdSigned(intent)
      const outcome = pipeline
        .run(intent, { tool: toolOf(step) })
        .then((done): CallEnd => ({ code: 'status' in done ? done.status : 'mined', message: '' }), endOf)
      const first = await Promise.race([held, outcome])
      return 'send' in first ? { ...first, outcome } : first
    },
    worths: (moments) => Promise.all(moments.map((moment) => worthOf(pipeline, bySymbol(market, moment)))),
    async close() {
      await pipeline.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type AgentOptions = {
  readonly devnet: Devnet
  readonly market: ChainMarket
  readonly blocks: Pick<ChainBlocks, 'mineNow'>
  readonly replayable: Replayable
  /** What the server has seen before. */
  readonly sightings: readonly Sighting[]
}

export type ChainAgent = {
  /** Plans and runs what the search decided on, at the chain's head: what came of it, or what was signed and waits to be mined. */
  decide(this: void, step: Step): Promise<CallEnd | Signed>
  /** What the wallet holds at prices outside, in US dollars, gas left out. */
  worths(this: void, moments: readonly QuotedMarket[]): Promise<readonly number[]>
  close(this: void): Promise<void>
}

/** `mined`, or the code of a refusal or failure. */
export type CallEnd = { readonly code: string; readonly message: string }

export type Signed = Held & { readonly outcome: Promise<CallEnd> }

export type Held = {
  readonly offer: Offer
  /** Lets it into the pool. */
  readonly send: () => Promise<void>
}

type Grant = {
  Method: 'anvil_setERC20Allowance'
  Parameters: readonly [Address, Address, Address, Hex]
  ReturnType: null
}

function endOf(failure: unknown): CallEnd {
  if (!(failure instanceof ToolError)) throw failure
  return { code: failure.code, message: failure.message }
}

function toolOf({ what }: Step): string {
  if (what.startsWith('decide swap')) return 'execute_swap'
  if (what.startsWith('decide remove')) return 'remove_liquidity'
  return what.startsWith('decide increase') ? 'increase_liquidity' : 'add_liquidity'
}

function rawIn(init: RequestInit | undefined): Hex | null {
  const body = typeof init?.body === 'string' ? init.body : ''
  const [, raw] = /"method":"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/.exec(body) ?? []
  return raw === undefined ? null : (raw as Hex)
}

function bySymbol(market: ChainMarket, { prices }: QuotedMarket): Readonly<Record<string, number>> {
  const priced = [...market.tokens.values()].flatMap(({ symbol, address }) => {
    const price = prices[address]
    return price === undefined ? [] : [[symbol, price] as const]
  })
  return Object.fromEntries(priced)
}
