import {
  type GuideDeps,
  createServerResources,
  type ServerResources,
  requireTool,
  positionTemplate,
} from './server-resources.ts'
import { createPrompts, type Prompts } from './prompts.ts'
import type { Principal } from '@svc/engine'
import { ToolError } from '@svc/amm'
import * as z from 'zod'
import { tokenInput } from '../tools/params.ts'

/**
 * What a client can show beside the tools: prompts, resources of the server itself, and what completes their arguments. What they read of a
 * chain or of a caller they read by calls of tools, so that nobody sees by them what no tool would show. Read with the first that is asked for.
 */
export function createGuides(deps: GuideDeps): Guides {
  const prompts = createPrompts(deps)
  return Object.freeze({ prompts, resources: createServerResources(deps), complete: createCompletions(deps, prompts) })
}

export type Guides = {
  readonly prompts: Prompts
  readonly resources: ServerResources
  readonly complete: Completions
}

/**
 * Makes what completes an argument of a prompt or of a resource: the chains of the server, the listed tokens of a chain, the pools of a pair,
 * the positions of the wallet. It sees what the tools that list them show this caller; for who may not call those, and where they fail, there is nothing to choose from.
 */
function createCompletions(deps: GuideDeps, prompts: Pick<Prompts, 'require'>): Completions {
  return async (request) => {
    const { ref, argument, principal } = request
    requireArgument(argument.name, argumentsOf(ref, principal))
    const values = await (sources[argument.name] ?? nothing)(request, deps)
    const begun = argument.value.toLowerCase()
    const fitting = [...new Set(values)].filter((value) => value.toLowerCase().startsWith(begun))
    return { values: fitting.slice(0, mostValues), total: fitting.length, hasMore: fitting.length > mostValues }
  }

  function argumentsOf(ref: CompletionRequest['ref'], principal: Principal): readonly string[] {
    if (ref.type === 'ref/prompt') return Object.keys(prompts.require(principal, ref.name).input.shape)
    if (ref.uri !== positionTemplate.uri) throw unknownTemplate()
    requireTool(deps.tools, principal, positionTemplate.tool)
    return positionTemplate.variables
  }
}

/** Throws what a call of a tool would be refused with, and `VALIDATION_FAILED` where there is nothing of that name. */
export type Completions = (request: CompletionRequest) => Promise<Completion>

export type CompletionRequest = {
  readonly principal: Principal
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
  /** Arguments that were chosen before. */
  readonly chosen: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Mutable in type alone, as the results of the protocol library are. */
export type Completion = { values: string[]; total: number; hasMore: boolean }

type Source = (request: CompletionRequest, deps: GuideDeps) => Promise<readonly string[]> | readonly string[]

/** By the name of the argument, which means the same everywhere. */
const sources: Readonly<Record<string, Source>> = {
  chain: ({ principal }, { tools, chains }) =>
    tools.isOpenTo(principal, 'list_supported_chains') ? chains.list().map(({ name }) => name) : [],
  token0: listedTokens,
  token1: listedTokens,
  pool: (request, deps) => {
    const { chain, token0, token1 } = request.chosen
    return listed('get_pools_by_token_pair', { chain, token0, token1, limit: mostValues }, 'poolAddress', request, deps)
  },
  // Of the wallet itself: an address that somebody else chose would have a caller read what they put there.
  id: (request, deps) => {
    const { chain } = request.chosen
    const asked = { chain, versions: ['v3', 'v4'], includeClosed: true, limit: mostValues }
    return chain === undefined ? [] : listed('get_positions_by_owner', asked, 'positionId', request, deps)
  },
}

const nothing: Source = () => []

async function listedTokens(request: CompletionRequest, deps: GuideDeps): Promise<readonly string[]> {
  const { chain } = request.chosen
  const query = request.argument.value === '' ? '*' : request.argument.value
  const asked = { query, limit: mostValues, ...(chain === undefined ? {} : { chain }) }
  const symbols = await listed('search_tokens', asked, 'symbol', request, deps)
  // One that the argument itself would refuse is no choice.
  return symbols.filter((symbol) => tokenInput.safeParse(symbol).success)
}

/** One member of each item that a tool lists for this caller. */
async function listed(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  member: string,
  { principal, signal }: CompletionRequest,
  { tools, call }: GuideDeps,
): Promise<readonly string[]> {
  if (!tools.isOpenTo(principal, tool)) return []
  const { structuredContent } = await call({ name: tool, arguments: args, principal, signal })
  const answer = z.looseObject({ items: z.array(z.looseObject({ [member]: z.string() })) }).safeParse(structuredContent)
  return answer.success ? answer.data.items.map((item) => String(item[member])) : []
}

/** As many as the protocol lets an answer have, and a page of a tool. */
const mostValues = 100

function requireArgument(name: string, accepted: readonly string[]): void {
  if (accepted.includes(name)) return
  const details = [{ field: 'argument.name', message: 'Unknown argument.', accepted }]
  throw new ToolError('VALIDATION_FAILED', 'There is no such argument to complete.', { details })
}

function unknownTemplate(): ToolError {
  const details = [{ field: 'ref.uri', message: 'Unknown template.', accepted: [positionTemplate.uri] }]
  return new ToolError('VALIDATION_FAILED', 'There is no such template to complete.', { details })
}
