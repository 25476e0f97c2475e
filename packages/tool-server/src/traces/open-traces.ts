import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { RpcAnswered } from '@svc/amm/rpc'
import { codeOfFailure, codeOfResult, endpointOf, type LabelValues } from '../metrics/label-values.ts'
import type { ObservedCall, Observing } from '../observer.ts'
import { version } from '../status/status.ts'

/**
 * Traces calls by the conventions of OpenTelemetry for MCP: a server span for each, under the span that the client names, with a span for
 * each stage of its transactions and for each question to an endpoint. Arguments and answers are no part of a span. Read only where
 * `SVC_TRACES_URL` is set; a collector that is away costs spans, never a call.
 */
export function openTraces(url: string, { toolOf, chainOf }: LabelValues): OpenTraces {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'svc-tool-server', 'service.version': version }),
    // Whatever a span is given: it waits in a queue until the collector takes it.
    spanLimits: { attributeValueLengthLimit: mostOfAttribute },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: mostWaitMs }) })],
  })
  const tracer = provider.getTracer('svc', version)
  // Of our own, so that nothing of the process is global.
  const current = new AsyncLocalStorage<Context>()
  const within = <Value>(span: Span, run: () => Promise<Value>) =>
    current.run(trace.setSpan(ROOT_CONTEXT, span), run).finally(() => span.end())
  return {
    observer: {
      call(request, run) {
        const name = toolOf(request.name)
        const attributes = callAttributes(name, request)
        const span = tracer.startSpan(`tools/call ${name}`, { kind: SpanKind.SERVER, attributes }, parentOf(request))
        return within(span, async () => {
          const result = await run()
          const code = codeOfResult(result)
          if (code !== null) failCall(span, code)
          return result
        })
      },
      stage({ stage, chainId, dryRun }, run) {
        const attributes = { 'svc.tx.stage': stage, 'svc.chain': chainOf(chainId), 'svc.tx.dry_run': dryRun }
        const span = tracer.startSpan(`svc.tx ${stage}`, { attributes }, current.getStore() ?? ROOT_CONTEXT)
        return within(span, () =>
          run().catch((failure: unknown) => {
            fail(span, codeOfFailure(failure))
            throw failure
          }),
        )
      },
      rpc(answered) {
        const parent = current.getStore()
        // What no call waits for (background looks) would be traces of one span each.
        if (parent === undefined) return
        const endTime = Date.now()
        const attributes = rpcAttributes(answered, chainOf)
        const startTime = endTime - answered.ms
        const span = tracer.startSpan(answered.method, { kind: SpanKind.CLIENT, attributes, startTime }, parent)
        if (answered.outcome !== 'answered') fail(span, answered.outcome)
        span.end(endTime)
      },
    },
    close: () => provider.shutdown(),
  }
}

/** Characters. */
const mostOfAttribute = 128

/** For a collector that takes a connection and answers nothing: closing waits for it. */
const mostWaitMs = 3_000

export type OpenTraces = {
  readonly observer: Observing<'call' | 'stage' | 'rpc'>
  /** Sends what waits. Rejects where the collector does not take it. */
  close(): Promise<void>
}

function callAttributes(name: string, { principal, origin }: ObservedCall) {
  return {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'network.transport': principal?.stage === 'local' ? 'pipe' : 'tcp',
    ...(origin?.sessionId !== undefined && { 'mcp.session.id': origin.sessionId }),
    ...(origin?.revision !== undefined && { 'mcp.protocol.version': origin.revision }),
    ...(isPlainId(origin?.id) && { 'jsonrpc.request.id': `${origin?.id}` }),
  }
}

/** A number, or a text that is one or a UUID. Another text is the caller's own words, as long as a body, and not for others to read. */
function isPlainId(id: string | number | undefined): boolean {
  return typeof id === 'number' || (id !== undefined && /^(\d{1,20}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i.test(id))
}

function rpcAttributes(answered: RpcAnswered, chainOf: LabelValues['chainOf']) {
  return {
    'rpc.system.name': 'jsonrpc',
    'rpc.method': answered.method,
    'svc.chain': chainOf(answered.chainId),
    'svc.rpc.endpoint': endpointOf(answered),
  }
}

function failCall(span: Span, code: string): void {
  fail(span, 'tool_error')
  span.setAttribute('svc.error.code', code)
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The span of the client that made the call, where it names one (W3C Trace Context). */
function parentOf({ origin }: ObservedCall): Context {
  const named = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(origin?.traceparent ?? '')
  const [, traceId = '', spanId = '', flags = ''] = named ?? []
  const parent = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(origin?.tracestate !== undefined && { traceState: createTraceState(origin.tracestate) }),
  }
  return named === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
}
