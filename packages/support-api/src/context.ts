import type { HttpBindings } from '@hono/node-server'
import type { RouteConfig } from '@hono/zod-openapi'
import type { Store } from '@svc/store'
import type { Context } from 'hono'
import type { AppCheck } from './app-id/create-app-check.ts'
import type { Config } from './config.ts'
import type { Reply } from './edge/json.ts'
import type { ClaimStanding, Grant, GrantRequest } from './faucet/request-grant.ts'
import type { FaucetReport } from './faucet/report-faucet.ts'
import type { Metrics } from './observability/create-metrics.ts'
import type { Log } from '@svc/runtime'
import type { PinDesk } from './pins/create-pin-desk.ts'

/** What routes may use. */
export type ApiContext = {
  readonly config: Config
  readonly store: Store
  readonly apps: AppCheck
  readonly pins: PinDesk
  readonly faucet: FaucetPart | null
  readonly metrics: Metrics
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  /** True from the moment the service was asked to end. */
  readonly isClosing: () => boolean
}

/** What the server needs to know of the faucet. */
export type FaucetPart = {
  /** Its routes, with what they need already in hand. */
  readonly routes: readonly Route[]
  /** For the page; a few seconds old at most. */
  readonly report: () => Promise<FaucetReport>
  readonly grant: (request: GrantRequest) => Promise<Grant>
  /** `null` when the wallet has claimed nothing on the chain. */
  readonly claimOf: (wallet: Pick<GrantRequest, 'chainId' | 'address'>) => Promise<ClaimStanding | null>
  /** What the cap of one range of addresses leaves of the last 24 hours. */
  readonly networkLeft: (network: string) => Promise<number>
  /** For `/readyz`: which chains are up. None of them is needed for the others, nor for the pins. */
  parts(): Promise<Readonly<Record<string, 'ok' | 'down'>>>
  /** Whether this replica pays on the chain. */
  leads(chainId: number): boolean
  close(): Promise<void>
}

/** One route: what the API description says of it, and what answers. */
export type Route =
  | DescribedAnswer
  | (DescribedRoute & { readonly answer: (c: RouteContext, context: ApiContext) => Promise<Reply> | Reply })

/** One that says the same to whoever asks with GET. */
export type DescribedAnswer = DescribedRoute & { readonly tell: () => Promise<Reply> | Reply }

type DescribedRoute = {
  readonly config: RouteConfig
  /** For what reaches the process by its address, without the edge: no check of host and proxy, no limit. */
  readonly isProbe?: boolean
  /** For pages of any origin. */
  readonly isOpenToPages?: boolean
}

export type RouteContext = Context<Env>

export type Env = {
  Bindings: HttpBindings
  Variables: {
    /** Range of addresses the client is in: a /24 or a /64. */
    network: string
  }
}
