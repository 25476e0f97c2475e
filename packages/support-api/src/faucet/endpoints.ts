import { createPublicClient, fallback, http, type PublicClient, type Transport } from 'viem'

/**
 * The endpoints of a chain, asked in order. Each is asked for its chain first, and again with what else it is asked after
 * a while: what one says that speaks for another chain is dropped, and the next is asked.
 */
export function openEndpoints({ chainId, rpcUrls, log, now }: EndpointOptions): Endpoints {
  const standings = rpcUrls.map((): Standing => ({ says: null }))
  const transports = rpcUrls.map((url, index) => {
    const noted = (says: number) => {
      const standing = standings[index]
      if (standing === undefined || standing.says === says) return
      standing.says = says
      // A URL may hold a key.
      if (says !== chainId) log.error('faucet.wrong-chain', { chainId, says, endpoint: index + 1, host: hostOf(url) })
    }
    return ofChain(http(url, { batch: { batchSize: mostInBatch }, timeout: 10_000, retryCount: 1 }), {
      chainId,
      now,
      noted,
    })
  })
  return {
    client: createPublicClient({ transport: fallback(transports, { retryCount: 0 }), cacheTime: 0 }),
    isWrongChain: () => {
      const known = standings.filter(({ says }) => says !== null)
      return known.length > 0 && known.every(({ says }) => says !== chainId)
    },
  }
}

type Endpoints = {
  readonly client: PublicClient
  /** Whether every endpoint that has named its chain names another one. */
  readonly isWrongChain: () => boolean
}

type EndpointOptions = {
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly log: FaucetLog
  /** Unix milliseconds. */
  readonly now: () => number
}

type Standing = { says: number | null }

function ofChain(transport: Transport, { chainId, now, noted }: Check): Transport {
  let looked: { readonly at: number; readonly right: Promise<void> } | null = null
  let wrongAt: number | null = null
  const isFresh = (at: number): boolean => Math.abs(now() - at) < lookedForMs
  return (options) => {
    const made = transport(options)
    const ask = async (): Promise<void> => {
      const says = Number(await made.request({ method: 'eth_chainId' }))
      noted(says)
      wrongAt = says === chainId ? null : now()
      if (wrongAt !== null) throw wrong(chainId)
    }
    const right = (): Promise<void> => {
      if (looked !== null && isFresh(looked.at)) return looked.right
      const look = { at: now(), right: ask() }
      looked = look
      look.right.catch(() => {
        if (looked === look) looked = null
      })
      return look.right
    }
    const request = async (...asked: Parameters<typeof made.request>) => {
      if (wrongAt !== null && isFresh(wrongAt)) throw wrong(chainId)
      // Side by side, in one batch: an answer counts once the chain is known.
      const [answer] = await Promise.all([made.request(...asked), right()])
      return answer
    }
    return { ...made, request: request as typeof made.request }
  }
}

function wrong(chainId: number): Error {
  return new Error(`The endpoint does not speak for chain ${chainId}.`)
}

type Check = {
  readonly chainId: number
  readonly now: () => number
  readonly noted: (says: number) => void
}

const lookedForMs = 10_000
/** Some public endpoints take few calls at once. */
const mostInBatch = 10

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

/** What the faucet needs of the process's log. */
export type FaucetLog = {
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}
