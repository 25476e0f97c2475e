import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@svc/engine'
import { requireAccess, wholeTool } from './dispatch/offered-tools.ts'
import {
  askPerson,
  atMostOnce,
  type Arrived,
  type CallContext,
  type CallRequest,
  checkAnswer,
  envelope,
  failure,
  logCall,
  openCall,
  repeatStored,
  trackWrite,
  withoutSecrets,
} from './dispatch/call-stages.ts'
import { requireLeader } from './dispatch/once.ts'
import type { CallResult } from './dispatch/call-result.ts'
import type { Answered } from './dispatch/carry-out.ts'
import { handle, type ToolCall } from './dispatch/handle.ts'
import { parseInput } from './dispatch/parse-input.ts'
import type { Tool } from './tool.ts'
import {
  answerHealth,
  answerPreflight,
  holdToCredentials,
  kindOfAnswer,
  parseMessage,
  readBoundedBody,
  type RequestContext,
  requireBrief,
  requireBudget,
  requireFewHeaders,
  requireJson,
  requireMethod,
  requireOrigin,
  requirePrincipal,
  requireRoute,
  requireWebSocket,
  reportBudgets,
  trackAnswer,
} from './transports/request-stages.ts'
import { requireScopes } from './transports/require-scopes.ts'
import { answerDocument, answerSignInRoute } from './transports/public-routes.ts'
import { isOperatorRoute } from './operator/operator-paths.ts'
import { answerOperatorRoute } from './operator/operator-route.ts'

/**
 * An HTTP request, from its first header to the era of the protocol that answers it; a call in it goes on at `handleCall`. The sockets
 * themselves are bounded by `openListener`. A stage that refuses throws an `HttpRefusal`.
 */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const { guards, authenticate, limits, eras, signIn, operator } = context
  requireFewHeaders(request)
  guards.requireHost(request.headers)
  if (operator !== null && isOperatorRoute(request))
    return answerOperatorRoute(request, response, { ...context, operator })
  requireOrigin(request, response, guards)
  if (answerHealth(request, response, context.role?.())) return
  const address = guards.clientAddress(request.headers, request.socket.remoteAddress ?? '')
  const ofAddress = await requireBudget(limits.perAddress, address)
  if (await answerDocument({ request, response, address }, context)) return
  const route = requireRoute(request, context)
  if (route !== 'mcp') return answerSignInRoute(route, { request, response, address }, context)
  requireMethod(request)
  if (request.method === 'OPTIONS') return answerPreflight(response)
  requireJson(request)
  const callerOf = async (look?: 'again') =>
    requirePrincipal(await authenticate(request.headers, look), address, context)
  const comer = await callerOf()
  const ofPrincipal = await requireBudget(limits.perPrincipal, comer.id)
  reportBudgets(response, [limits.perAddress, ofAddress], [limits.perPrincipal, ofPrincipal])
  if (request.method !== 'POST') {
    holdToCredentials({ principal: comer, response }, signIn, 'stream')
    if (request.method === 'GET') trackAnswer(context, response, 'stream')
    return eras.session({ request, response, principal: comer })
  }
  const hadCome = request.complete
  const message = parseMessage(await readBoundedBody(request, context), response)
  if (message === undefined) return
  // Credentials may have been revoked, or their time have ended, while the rest of it was on its way.
  const principal = hadCome ? comer : await callerOf('again')
  const exchange = { request, response, principal }
  requireBrief(message)
  requireScopes(message, principal, context)
  const kind = kindOfAnswer(message)
  holdToCredentials(exchange, signIn, kind)
  trackAnswer(context, response, kind)
  return eras.post(exchange, message)
}

/**
 * An upgrade to WebSocket, up to whose connection it becomes, and from where; the same guards as of a request, and each message in it is
 * held to the credentials and to both budgets again.
 */
export async function admitUpgrade(
  request: IncomingMessage,
  context: RequestContext,
): Promise<{ readonly principal: Principal; readonly address: string }> {
  const { guards, authenticate, limits } = context
  requireFewHeaders(request)
  guards.requireHost(request.headers)
  guards.requireOrigin(request.headers)
  const address = guards.clientAddress(request.headers, request.socket.remoteAddress ?? '')
  await requireBudget(limits.perAddress, address)
  requireWebSocket(request)
  const authentication = await authenticate(request.headers)
  const principal = await requirePrincipal(authentication, address, context)
  await requireBudget(limits.perPrincipal, principal.id)
  return { principal, address }
}

/**
 * A call, from the name of a tool to the envelope of its answer: the same for every transport, and where stdio begins. Never rejects: what a
 * stage throws becomes a result with `isError`.
 */
export async function handleCall(request: CallRequest, context: CallContext): Promise<CallResult> {
  const { log, now, newRequestId } = context.options
  const arrived: Arrived = { request, requestId: newRequestId(), startedAt: now() }
  const answered = await answerCall(arrived, context).catch((error: unknown) =>
    failure(error, request.name, arrived.requestId, log),
  )
  const result = withoutSecrets(answered, context.options)
  logCall(arrived, result, context.options)
  return result
}

/** Tool and profile, rights, input; then what still holds of before, or, at most once where a write has a key, the handler, the check of its output, the envelope. */
async function answerCall(arrived: Arrived, context: CallContext): Promise<CallResult> {
  const { options, once, deps, pictures, kept } = context
  const { log, write } = options
  const offered = context.tools.require(arrived.request.name)
  requireAccess(offered, arrived.request.principal)
  await requireLeader(offered, write)
  const tool = await wholeTool(offered)
  const input = parseInput(tool, arrived.request.arguments)
  const open = openCall(tool, input, arrived, options)
  const run = (call = open.call) =>
    envelope(
      open,
      pictures,
      askPerson(open, deps, () => runHandler(tool, call, context)),
    )
  const again = (first: string) => run({ ...open.call, requestId: first, attempt: arrived.requestId })
  const goOn = (operationId: string) => envelope(open, pictures, repeatStored(operationId, open, deps))
  return kept(open, () => trackWrite(open, write, () => atMostOnce(open, { once, log }, { run, again, goOn })))
}

/** The handler and the check of its output; a stored write that is carried out later passes here again. */
export async function runHandler(
  tool: Tool,
  call: ToolCall,
  { options, deps }: Pick<CallContext, 'options' | 'deps'>,
): Promise<Answered> {
  const output = await handle(tool, call, options, deps)
  return checkAnswer(tool, output, call, options.log)
}
