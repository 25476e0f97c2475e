import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { errorTable, ToolError } from '@svc/amm'
import { refusedByStore } from '@svc/engine'
import { appViews } from '../apps/app-views.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import type { CallerOf } from './carried-principals.ts'

/** Has a protocol object answer for prompts, completions and resources, as far as one principal may see them. */
export function handleGuides(server: Server, { dispatch, caller, signalOf, showsViews }: GuideHandling): void {
  server.setRequestHandler('prompts/list', async (request, context) => {
    requireFirstPage(request)
    const { prompts } = await dispatch.guides()
    return { prompts: prompts.list(caller(context)) }
  })
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { prompts } = await dispatch.guides()
    return inOurWords(async () => prompts.get(caller(context), params.name, params.arguments))
  })
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, asked) => {
    const { complete } = await dispatch.guides()
    const request = {
      ref,
      argument,
      chosen: context?.arguments ?? {},
      principal: caller(asked),
      signal: signalOf(asked),
    }
    return { completion: await inOurWords(() => complete(request)) }
  })
  server.setRequestHandler('resources/list', async (request, context) => {
    requireFirstPage(request)
    const { resources } = await dispatch.guides()
    const principal = caller(context)
    const pictures = dispatch.pictures.list(principal.id).map(({ type: _type, ...resource }) => resource)
    const views = showsViews(context) ? appViews.list() : []
    return {
      resources: [...views, ...resources.list(principal), ...pictures, ...(await dispatch.watches.list(principal))],
    }
  })
  server.setRequestHandler('resources/templates/list', async (request, context) => {
    requireFirstPage(request)
    const { resources } = await dispatch.guides()
    return { resourceTemplates: resources.templates(caller(context)) }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const signal = signalOf(context)
    const principal = caller(context)
    const read =
      appViews.read(uri) ??
      (await dispatch.watches.read(principal, uri)) ??
      (await inOurWords(async () => (await dispatch.guides()).resources.read({ uri, principal, signal }))) ??
      (await inOurWords(() => dispatch.pictures.read(principal.id, uri, signal)))
    if (read === null) throw new ResourceNotFoundError(uri)
    return { contents: [read] }
  })
}

type GuideHandling = {
  readonly dispatch: Dispatch
  readonly caller: CallerOf
  /** Aborted when the caller leaves. */
  readonly signalOf: (context: ServerContext) => AbortSignal
  readonly showsViews: (context: ServerContext) => boolean
}

/** A list here has one page. */
export function requireFirstPage({
  params,
}: {
  readonly params?: { readonly cursor?: string | undefined } | undefined
}): void {
  if (params?.cursor === undefined) return
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'A list here has one page and knows no cursor.')
}

/** An error of ours travels with its code, as that of a tool does. */
export async function inOurWords<Value>(work: () => Promise<Value>): Promise<Value> {
  return work().catch((cause: unknown) => {
    const error = refusedByStore(cause) ?? cause
    if (!(error instanceof ToolError)) throw error
    const isOurs = errorTable[error.code].httpStatus >= 500
    const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, error.message, { 'svc/error': error.toJSON() })
  })
}
