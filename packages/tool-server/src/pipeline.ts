import type { IncomingMessage, ServerResponse } from 'node:http'
import { requireAccess } from './auth/may.ts'
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
import type { CallResult } from './dispatch/call-result.ts'
import type { Answered } from './dispatch/carry-out.ts'
import { handle, type ToolCall } from './dispatch/handle.ts'
import { parseInput } from './dispatch/parse-input.ts'
import type { Tool } from './tool.ts'
import {
  answerHealth,
  answerPreflight,
  parseMessage,
  readBoundedBody,
  type RequestContext,
  requireBudget,
  requireFewHeaders,
  requireJson,
  requireMethod,
  requireOrigin,
  requirePrincipal,
  requireRoute,
  trackAnswer,
} from './transports/request-stages.ts'

/**
 * An HTTP request, from its first header to the era of the protocol that answers it; a call in it goes on at `handleCall`. The sockets
 * themselves are bounded by `openListener`. A stage that refuses throws an `HttpRefusal`.
 */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { guards, authenticate, limits, onRefused, eras, inFlight }: RequestContext,
): Promise<void> {
  requireFewHeaders(request)
  guards.requireHost(request.headers)
  requireOrigin(request, response, guards)
  const address = guards.clientAddress(request.headers, request.socket.remoteAddress ?? '')
  const route = requireRoute(request)
  if (route === 'health') return answerHealth(request, response)
  requireMethod(request)
  if (request.method === 'OPTIONS') return answerPreflight(response)
  requireJson(request)
  const authentication = await authenticate(request.headers)
  const principal = requirePrincipal(authentication, { address, limit: limits.perAddress, onRefused })
  requireBudget(limits.perPrincipal, principal.id)
  const exchange = { request, response, principal }
  if (request.method !== 'POST') return eras.session(exchange)
  const body = await readBoundedBody(request)
  const message = parseMessage(body, response)
  if (message === undefined) return
  trackAnswer(inFlight, message, response)
  return eras.post(exchange, message)
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

/** Tool and profile, rights, input; then, at most once where a write has a key, the handler, the check of its output, the envelope. */
async function answerCall(arrived: Arrived, context: CallContext): Promise<CallResult> {
  const { options, once, deps, pictures } = context
  const { log, write } = options
  const tool = context.tools.require(arrived.request.name)
  requireAccess(tool, arrived.request.principal)
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
  return trackWrite(open, write, () => atMostOnce(open, { once, log }, { run, again, goOn }))
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
