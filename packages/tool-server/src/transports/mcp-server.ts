import {
  type EventStore,
  type jsonSchemaValidator,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { showsViews } from '../apps/app-views.ts'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { createApprovalStates, callAlone, callInSession } from './ask-client.ts'
import type { CallerOf } from './exchange.ts'
import {
  capabilitiesOfEnvelope,
  takesTasks,
  infoOfSessions,
  listTtlMs,
  serverCapabilities,
  type ServerInfo,
} from './protocol-facts.ts'
import { callAsTask, handleTasks, type TaskHandling, handleGuides, requireFirstPage } from './request-handlers.ts'

/** Makes the SDK's protocol object for one connection, session or request, and for whoever the caller is then. It holds nothing but closures. */
export type NewMcpServer = (caller: CallerOf, era: Era, notify?: ServerNotifier) => Server

export type Era = 'legacy' | 'modern'

/** Lets tests put further request handlers on the very stack the product runs on. */
export type McpTesting = {
  /** Called for every protocol object before it is connected. */
  server(server: Server, era: Era, notify: ServerNotifier | null, tasking: TaskHandling | null): void
  /** Makes legacy streams resumable. */
  eventStore?(): EventStore
}

export type McpServerOptions = {
  readonly dispatch: Dispatch
  readonly info: ServerInfo
  readonly instructions: string
  readonly testing: McpTesting | null
  /** Aborted when the server begins to close: nobody is waited for any longer. */
  readonly closing: AbortSignal
  /** 32 random bytes or more that sign what a client carries from a question to its answer. */
  readonly stateKey: Uint8Array
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createNewMcpServer(options: McpServerOptions): NewMcpServer {
  const { dispatch, info, testing, now, closing } = options
  const settled = { ttlMs: listTtlMs, cacheScope: 'private' as const }
  const states = createApprovalStates({ key: options.stateKey, now })
  const serverOptions = {
    instructions: options.instructions,
    jsonSchemaValidator: sharedValidator(),
    cacheHints: { 'tools/list': settled, 'prompts/list': settled, 'resources/templates/list': settled },
  }
  const subscriptions = createSubscriptions(dispatch)
  return (caller, era, notify) => {
    // Revision 2026-07-28 repeats what a server is called on every answer, and an icon there would double the short ones.
    const capabilities = serverCapabilities({ tasks: era === 'modern' && dispatch.tasks !== null })
    const about = era === 'legacy' ? infoOfSessions(info) : info
    const server = new Server(about, { ...serverOptions, capabilities })
    const views = (context: ServerContext) => showsViews(capabilitiesOf(server, era, context))
    server.setRequestHandler('tools/list', (request, context) => {
      requireFirstPage(request)
      return { tools: dispatch.list(caller(context), { views: views(context), icons: era === 'legacy' }).tools }
    })
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const signal = signalOf(context)
      const onProgress = progressReporter(context)
      const call = {
        name: params.name,
        arguments: params.arguments,
        principal: caller(context),
        signal,
        onProgress,
        views: views(context),
        origin: originOf(context),
      }
      const asking = { dispatch, context, now, closing }
      if (era === 'legacy') return callInSession(call, { ...asking, server })
      const alone = { ...asking, states, tasks: dispatch.tasks }
      return takesTasks(capabilitiesOf(server, era, context)) ? callAsTask(call, alone) : callAlone(call, alone)
    })
    const tasking = era === 'modern' && dispatch.tasks !== null ? { tasks: dispatch.tasks.service, caller } : null
    if (tasking !== null) handleTasks(server, tasking)
    handleGuides(server, { dispatch, caller, signalOf, showsViews: views })
    if (era === 'legacy') {
      server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, context) => {
        if ((await dispatch.watches.read(caller(context), uri)) === null) throw new ResourceNotFoundError(uri)
        subscriptions.add(server, caller(context).id, uri)
        return {}
      })
      server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
        subscriptions.remove(server, uri)
        return {}
      })
    } else if (notify === undefined) subscriptions.addAll(server, caller(null).id)
    testing?.server(server, era, notify ?? null, tasking)
    return server
  }
}

/**
 * Who hears of changes of watches: sessions of what they subscribed to, and a connection of revision 2026-07-28 over stdio of all of its
 * principal, of which the library passes on what its client listens to. Over HTTP that revision has streams of its own (`ModernEra`).
 */
function createSubscriptions(dispatch: Pick<Dispatch, 'watches'>) {
  const held = new Map<Server, { readonly owner: string; readonly uris: Set<string> | null }>()
  const forgetClosed = () => {
    for (const server of held.keys()) if (server.transport === undefined) held.delete(server)
  }
  dispatch.watches.listen((owner, uri) => {
    forgetClosed()
    for (const [server, one] of held) {
      if (one.owner !== owner || one.uris?.has(uri) === false) continue
      // A client that is gone finds the event in the resource.
      server.sendResourceUpdated({ uri }).catch(() => {})
    }
  })
  return {
    add(server: Server, owner: string, uri: string) {
      forgetClosed()
      const uris = held.get(server)?.uris ?? new Set<string>()
      held.set(server, { owner, uris: uris.add(uri) })
    },
    addAll: (server: Server, owner: string) => void held.set(server, { owner, uris: null }),
    remove: (server: Server, uri: string) => void held.get(server)?.uris?.delete(uri),
  }
}

/** What the client says it can do: in the handshake of its session, or with each request. */
function capabilitiesOf(server: Server, era: Era, { mcpReq }: ServerContext): unknown {
  return era === 'legacy' ? server.getClientCapabilities() : capabilitiesOfEnvelope(mcpReq.envelope)
}

function originOf({ sessionId, mcpReq: { id, _meta } }: ServerContext): CallRequest['origin'] {
  const text = (name: string) => (typeof _meta?.[name] === 'string' ? _meta[name] : undefined)
  return { id, sessionId, traceparent: text('traceparent'), tracestate: text('tracestate') }
}

/** Progress goes out on the call's own stream, to a client that gave a token for it. */
function progressReporter({ mcpReq }: ServerContext): CallRequest['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  return (progress, total) => {
    const reported = mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
    // A client that is gone hears nothing; its call is cancelled elsewhere.
    reported.catch(() => {})
  }
}

/** Aborted by a cancellation as well as by a broken connection. */
function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const left = http?.req?.signal
  return left === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, left])
}

/** One validator for all protocol objects, made when first needed: each would otherwise build its own. */
function sharedValidator(): jsonSchemaValidator {
  let validator: CfWorkerJsonSchemaValidator | undefined
  return { getValidator: (schema) => (validator ??= new CfWorkerJsonSchemaValidator()).getValidator(schema) }
}
