import {
  CLIENT_CAPABILITIES_META_KEY,
  type EventStore,
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { appViews, showsViews } from '../apps/app-views.ts'
import type { Principal } from '@svc/engine'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { iconOf } from '../dispatch/offered-tools.ts'
import { ToolError } from '@svc/amm'
import { createApprovalStates, callAlone, callInSession } from './ask-client.ts'
import { listTtlMs, type ServerInfo } from './protocol-facts.ts'

/** Makes the SDK's protocol object for one connection, session or request. It holds nothing but closures. */
export type NewMcpServer = (principal: Principal, era: Era, notify?: ServerNotifier) => Server

export type Era = 'legacy' | 'modern'

/** Lets tests put further request handlers on the very stack the product runs on. */
export type McpTesting = {
  /** Called for every protocol object before it is connected. */
  server(server: Server, era: Era, notify: ServerNotifier | null): void
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
  const states = createApprovalStates({ key: options.stateKey, now })
  const serverOptions = {
    capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/ui': {} } },
    instructions: options.instructions,
    jsonSchemaValidator: sharedValidator(),
    cacheHints: { 'tools/list': { ttlMs: listTtlMs, cacheScope: 'private' as const } },
  }
  return (principal, era, notify) => {
    // Revision 2026-07-28 repeats what a server is called on every answer, and an icon there would double the short ones.
    const server = new Server(era === 'legacy' ? { ...info, icons: [serverIcon] } : info, serverOptions)
    const views = (context: ServerContext) => showsViews(capabilitiesOf(server, era, context))
    server.setRequestHandler('tools/list', (request, context) => {
      if (request.params?.cursor !== undefined) throw unknownCursor()
      return { tools: dispatch.list(principal, { views: views(context), icons: era === 'legacy' }).tools }
    })
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const signal = callerSignal(context.mcpReq.signal, context.http?.req?.signal)
      const onProgress = tellingProgress(context)
      const call = {
        name: params.name,
        arguments: params.arguments,
        principal,
        signal,
        onProgress,
        views: views(context),
      }
      const asking = { dispatch, context, now, closing }
      return era === 'legacy' ? callInSession(call, { ...asking, server }) : callAlone(call, { ...asking, states })
    })
    server.setRequestHandler('resources/list', (request, context) => {
      if (request.params?.cursor !== undefined) throw unknownCursor()
      const pictures = dispatch.pictures.list(principal.id).map(({ type: _type, ...resource }) => resource)
      return { resources: views(context) ? [...appViews.list(), ...pictures] : pictures }
    })
    server.setRequestHandler('resources/read', async ({ params }, context) => {
      const signal = callerSignal(context.mcpReq.signal, context.http?.req?.signal)
      const view = appViews.read(params.uri)
      const read = view ?? (await dispatch.pictures.read(principal.id, params.uri, signal).catch(refused))
      if (read === null) throw new ResourceNotFoundError(params.uri)
      return { contents: [read] }
    })
    testing?.server(server, era, notify ?? null)
    return server
  }
}

/** What the client says it can do: in the handshake of its session, or with each request. */
function capabilitiesOf(server: Server, era: Era, { mcpReq }: ServerContext): unknown {
  if (era === 'legacy') return server.getClientCapabilities()
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  return envelope[CLIENT_CAPABILITIES_META_KEY]
}

/** Progress goes out on the call's own stream, to a client that gave a token for it. */
function tellingProgress({ mcpReq }: ServerContext): CallRequest['onProgress'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  return (progress, total) => {
    const reported = mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
    // A client that is gone hears nothing; its call is cancelled elsewhere.
    reported.catch(() => {})
  }
}

/** Aborted by a cancellation as well as by a broken connection. */
function callerSignal(cancelled: AbortSignal, left: AbortSignal | undefined): AbortSignal {
  return left === undefined ? cancelled : AbortSignal.any([cancelled, left])
}

function unknownCursor(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'A list here has one page and knows no cursor.')
}

/** An error of ours, in the words of the protocol. */
function refused(error: unknown): never {
  if (!(error instanceof ToolError)) throw error
  throw new ProtocolError(ProtocolErrorCode.InternalError, error.message, { 'svc/error': error.toJSON() })
}

/** One validator for all protocol objects, made when first needed: each would otherwise build its own. */
function sharedValidator(): jsonSchemaValidator {
  let validator: CfWorkerJsonSchemaValidator | undefined
  return { getValidator: (schema) => (validator ??= new CfWorkerJsonSchemaValidator()).getValidator(schema) }
}

/** What clients may show beside the server's name: a drop between the bounds of a range. */
const serverIcon = iconOf(
  '<path d="M4 4v16M20 4v16" stroke="#889" stroke-width="2"/><path d="M12 4c3 4 5 6 5 9a5 5 0 0 1-10 0c0-3 2-5 5-9z" fill="#28c"/>',
)
