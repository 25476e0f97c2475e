import type { HttpAnswered, Observing } from '../observer.ts'
import { servedPaths } from '../transports/request-stages.ts'
import { codeOfResult, type LabelValues } from './label-values.ts'
import type { Samples } from './samples.ts'

/** Counts requests and calls of tools. A name that no tool has counts as `unknown`, a path that is not served as `other`. */
export function observeCalls(samples: Samples, { toolOf }: Pick<LabelValues, 'toolOf'>): CallObserver {
  return {
    async call({ name }, run) {
      const startedAt = performance.now()
      const result = await run()
      const tool = toolOf(name)
      const code = codeOfResult(result)
      const outcome = code === null ? 'success' : 'error'
      samples.count('svc_mcp_tool_calls_total', { tool, outcome, code: code ?? 'none' })
      samples.observe('svc_mcp_tool_duration_seconds', { tool, outcome }, (performance.now() - startedAt) / 1_000)
      return result
    },
    answered({ path, method, status, kind, ms }) {
      const route = routeOf(path, kind)
      samples.count('svc_http_requests_total', { route, method: methodOf(method), status: `${status}` })
      samples.observe('svc_http_request_duration_seconds', { route }, ms / 1_000)
    },
    authenticated(authentication) {
      const { principal } = authentication
      const outcome = principal === null ? authentication.reason : 'accepted'
      samples.count('svc_auth_total', { stage: principal?.stage ?? 'none', outcome })
    },
    limited: (limit) => samples.count('svc_rate_limited_total', { limit }),
  }
}

type CallObserver = Observing<'call' | 'answered' | 'authenticated' | 'limited'>

/** How long a stream was open says nothing of how long answers take: it is a route of its own. */
function routeOf(path: string, kind: HttpAnswered['kind']): string {
  if (path === '/mcp') return kind === 'stream' ? '/mcp (stream)' : path
  return servedPaths.has(path) ? path : 'other'
}

function methodOf(method: string): string {
  return methods.has(method) ? method : 'other'
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
