import { randomUUID } from 'node:crypto'
import type { Policy } from '@svc/engine'
import type { Log, Redactor } from '@svc/runtime'
import type { BarStore } from '@svc/store'
import type { Config } from '../config/config-shape.ts'
import type { ChartStore } from '../charts/chart-store.ts'
import { createDispatch, type Dispatch } from '../dispatch/dispatch.ts'
import type { OfferedTools } from '../dispatch/offered-tools.ts'
import { instructions, openCore } from '../open-core.ts'
import { openHistory, openPorts } from '../open-ports.ts'
import { dataTools, namesBeyondData } from '../tools/data-tools.ts'
import { createEras } from '../transports/eras.ts'
import { createFastPath, answerFastRequest, fastRequest, speaksLegacy } from '../transports/fast-path.ts'
import { type Eras, refuse } from '../transports/request-stages.ts'
import { createInlineWorkers } from '../workers/compute.ts'
import { jsonRpcErrors, sendJson, sendJsonRpcError } from '../transports/answers.ts'
import { type Exchange, webRequest, writeWebResponse } from '../transports/exchange.ts'
import type { LegacyEra } from '../transports/legacy-era.ts'
import type { LoadProtocol } from '../transports/protocol.ts'
import type { Ports } from '../ports.ts'
import type { StatusReport } from '../tool-context.ts'
import { checkChains } from '../status/check-chains.ts'
import { checkSettings, atEdge } from '../status/check-settings.ts'
import { version, withoutWallet } from '../status/status.ts'

/** What answers one request: the eras of the protocol over a dispatch and ports of its own, so that it waits for nothing that another began. */
export async function openEras(place: ErasPlace): Promise<Eras> {
  const { config, policy, log, offered } = place
  const fetch = refusingRedirects(place.fetch ?? globalThis.fetch)
  const opened = await openPorts(config, {
    policy: () => policy,
    log,
    sharedTokens: null,
    fetch,
    // A place that a stranger chose could be one inside: there is no looking at addresses here.
    isLive: async () => null,
  })
  const { rpc } = opened.ports
  const reads = openHistory(opened.ports, { config, bars: place.bars, fetch })
  const ports = { ...opened.ports, ...reads, workers: createInlineWorkers(), agentAddress: null }
  const dispatch = createDispatch({
    tools: dataTools,
    toolsElsewhere: namesBeyondData,
    profile: 'data',
    toolsets: config.toolsets,
    offered,
    pictures: noPictures,
    ports,
    status: createEdgeStatus({ config, ports, now: Date.now }),
    write: null,
    isInForce: () => false,
    log,
    scrub: (value) => place.redactor.scrub(value),
    now: Date.now,
    newRequestId: randomUUID,
    ...(rpc.atOneBlock !== undefined && { atOneBlock: rpc.atOneBlock }),
  })
  const core = openCore(dispatch, { mostStreams: 0, log, closing: new AbortController().signal })
  const protocol = () => core.protocol.get()
  const legacy = createSessionlessEra({ dispatch, protocol })
  return createEras({ legacy, fastPath: createFastPath({ ...core, instructions }), protocol })
}

export type ErasPlace = {
  readonly config: Config
  readonly policy: Policy
  readonly redactor: Redactor
  readonly log: Log
  readonly offered: OfferedTools
  /** Closed bars, which never change. */
  readonly bars: BarStore
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** They are kept for a later request, which has nothing of this one. */
const noPictures: ChartStore = Object.freeze({ put: () => [], list: () => [], read: async () => null })

/**
 * Serves the 2025 revisions where nothing is kept from one request to the next: without a session, which these revisions allow. What only a
 * session knows of its client, that it shows views or forms, is not known, and a cancellation finds no call: whoever leaves cancels theirs.
 */
function createSessionlessEra({ dispatch, protocol }: SessionlessOptions): LegacyEra {
  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      const { headers } = exchange.request
      // Of a session that another server opened, or of none: as one that has ended.
      if (headers['mcp-session-id'] !== undefined)
        return sendJsonRpcError(exchange.response, 404, jsonRpcErrors.sessionUnknown)
      const call = new AbortController()
      const leave = () => call.abort()
      exchange.response.on('close', leave)
      try {
        const fast = speaksLegacy(headers['mcp-protocol-version'])
          ? fastRequest(message, headers.accept, dispatch)
          : null
        if (fast === null) return await throughLibrary(exchange, message, call.signal, protocol)
        const caller = { principal: exchange.principal, views: false, signal: call.signal }
        const body = await answerFastRequest(fast, caller, dispatch)
        if (!exchange.response.destroyed) sendJson(exchange.response, 200, body)
      } finally {
        exchange.response.off('close', leave)
      }
    },
    async session() {
      throw refuse('METHOD_NOT_ALLOWED', 'No sessions are kept here, and no streams of them.', {
        allow: 'POST, OPTIONS',
      })
    },
  })
}

export type SessionlessOptions = { readonly dispatch: Dispatch; readonly protocol: LoadProtocol }

async function throughLibrary(
  { request, response, principal }: Exchange,
  message: unknown,
  signal: AbortSignal,
  protocol: LoadProtocol,
): Promise<void> {
  const { newMcpServer, newSessionTransport } = await protocol()
  const transport = newSessionTransport(null, undefined)
  const server = newMcpServer(() => principal, 'legacy')
  await server.connect(transport)
  try {
    await writeWebResponse(
      response,
      await transport.handleRequest(webRequest(request, signal), { parsedBody: message }),
    )
  } finally {
    await server.close()
  }
}

/** `fetch` for platforms that know no `redirect: 'error'`: what would be followed is refused all the same. */
export function refusingRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    if (init?.redirect !== 'error') return fetch(input, init)
    const answer = await fetch(input, { ...init, redirect: 'manual' })
    if (answer.type !== 'opaqueredirect' && (answer.status < 300 || answer.status > 399)) return answer
    await answer.body?.cancel()
    throw new TypeError('The answer is a redirect, which is not followed.')
  }
}

/** What a server at an edge says about itself: nothing of a machine, files or keys on it, for it has none. */
function createEdgeStatus({ config, ports, now }: EdgePlace): StatusReport {
  return Object.freeze({
    setup: async () => ({
      profile: config.profile,
      version,
      checks: [...checkSettings(config, ports, 'D'), ...(await checkChains(config, ports, atEdge, now))],
    }),
    safety: async () => withoutWallet,
  })
}

type EdgePlace = {
  readonly config: Config
  readonly ports: Pick<Ports, 'chains' | 'rpc' | 'agentAddress'>
  /** Unix milliseconds. */
  readonly now: () => number
}
