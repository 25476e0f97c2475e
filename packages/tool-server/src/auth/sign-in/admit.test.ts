import { parsePolicy } from '@svc/engine/policy'
import { openStore } from '@svc/store'
import { chains } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { openSignIn } from './open-sign-in.ts'
import type { SignInEvent, WalletPlace } from './sign-in.ts'
import { messageOf, newAccount } from './signing-server.fixture.ts'

const chain = chains.find(({ id }) => id === 8_453)!
/** A chain on which nobody is registered. */
const client = {
  getContractEvents: async () => [],
  getBlock: async () => ({ timestamp: BigInt(Math.floor(Date.now() / 1_000)) }),
} as unknown as WalletPlace['client']

it.each([
  ['before it, which the server has not seen yet', 'before'],
  ['while it is put on record', 'meanwhile'],
  ['just then, while the server publishes its new one', 'publishing'],
] as const)(
  'a sign-in gets a token that is taken though keys are changed without an overlap %s; nobody is told of a second one',
  async (_name, when) => {
    const policy = parsePolicy({}, { production: true })
    const store = await openStore({ path: ':memory:', now: Date.now })
    const told: SignInEvent[] = []
    const rotate = () => store.signIns.rotate({ overlapMs: 0 })
    const isSignedIn = () => told.some(({ event }) => event === 'auth.signed-in')
    let publishing = async () => {}
    let onJudged = () => {}
    const signIn = await openSignIn({
      signIns: {
        ...store.signIns,
        async publishKey(key, rotation) {
          await publishing()
          await store.signIns.publishKey(key, rotation)
        },
        async epoch() {
          const epoch = await store.signIns.epoch()
          // By then the sign-in has taken the key there is, or waits for the next.
          if (isSignedIn()) setImmediate(onJudged)
          return epoch
        },
      },
      wallets: { chain, client },
      oauth: [],
      edge: null,
      fetch,
      policies: { latest: () => policy, current: async () => policy },
      async audit(event) {
        told.push(event)
        if (when === 'meanwhile' && event.event === 'auth.signed-in') await rotate()
      },
      recordsIn: null,
      log: { info: () => {}, warn: () => {} },
      now: Date.now,
    })
    signIn.serveAt('https://mcp.example.com/mcp')
    const account = newAccount()
    const before = signIn.wallets!.jwks()
    const message = messageOf(signIn.wallets!.challenge(), account)
    const signature = await account.signMessage({ message })
    if (when === 'before') await rotate()
    if (when === 'publishing') {
      const judged = new Promise<void>((resolve) => (onJudged = resolve))
      await new Promise<void>((begun, failed) => {
        publishing = () => {
          begun()
          return judged
        }
        rotate().catch(failed)
      })
    }
    const { token, claims } = await signIn.wallets!.admit({ message, signature })
    await expect.poll(() => signIn.wallets!.jwks()).not.toBe(before)
    expect(await signIn.stages[0]!({ bearer: token, headers: {} })).toMatchObject({ id: `siwe:${account.address}` })
    expect(told.filter(({ event }) => event === 'auth.signed-in')).toMatchObject([{ jti: claims.jti }])
    await signIn.close()
    await store.close()
  },
)
