import { createCompletions, type Completions } from './completions.ts'
import type { GuideDeps } from './guide-deps.ts'
import { createPrompts, type Prompts } from './prompts.ts'
import { createServerResources, type ServerResources } from './server-resources.ts'

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
