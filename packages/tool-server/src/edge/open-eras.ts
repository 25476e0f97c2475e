import { randomUUID } from 'node:crypto'
import type { Policy } from '@svc/engine'
import type { Log, Redactor } from '@svc/runtime'
import type { BarStore } from '@svc/store'
import type { Config } from '../config/config-shape.ts'
import type { ChartStore } from '../charts/chart-store.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import type { OfferedTools } from '../dispatch/offered-tools.ts'
import { instructions } from '../instructions.ts'
import { openHistory, openPorts } from '../open-ports.ts'
import { createEdgeStatus } from '../status/edge-status.ts'
import { dataTools, namesBeyondData } from '../tools/data-tools.ts'
import { createEras } from '../transports/eras.ts'
import { createFastPath } from '../transports/fast-path.ts'
import { openCore } from '../open-core.ts'
import type { Eras } from '../transports/request-stages.ts'
import { createSessionlessEra } from './sessionless-era.ts'
import { createInlineWorkers } from '../workers/inline-workers.ts'
import { refusingRedirects } from './refusing-redirects.ts'

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
