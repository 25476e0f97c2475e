import type { Principal } from '@svc/engine'
import { ToolError } from '@svc/amm'
import type { Tool } from '../tool.ts'
import { createToolLists, type ToolList } from './list-tools.ts'
import { quoteUntrusted } from './call-result.ts'

export type Profile = 'data' | 'full'

/** The tools that a server knows, and those of them that its profile offers; every list is made here, never per call. */
export function createOfferedTools(tools: readonly Tool[], profile: Profile): OfferedTools {
  const known = new Map(tools.map((tool) => [tool.name, tool]))
  return Object.freeze({
    list: createToolLists(tools.filter((tool) => isOffered(tool, profile))),
    get: (name: string) => known.get(name) ?? null,
    require(name: string) {
      const tool = known.get(name)
      if (tool === undefined) {
        throw new ToolError('TOOL_NOT_FOUND', `This server has no tool ${quoteUntrusted(name)}.`)
      }
      if (!isOffered(tool, profile)) {
        throw new ToolError('TOOL_NOT_IN_PROFILE', `${tool.name} is not part of the profile "${profile}".`)
      }
      return tool
    },
  })
}

/** Whether a profile has the tool at all, whoever asks. */
export function isOffered(tool: Pick<Tool, 'inDataProfile'>, profile: Profile): boolean {
  return profile !== 'data' || tool.inDataProfile
}

export type OfferedTools = {
  /** What a principal may call, as `tools/list` shows it; with the views of answers where the client shows such. */
  list(principal: Principal, views?: boolean): ToolList
  /** Offered or not; `null` for none. */
  get(name: string): Tool | null
  /** Throws `TOOL_NOT_FOUND`, `TOOL_NOT_IN_PROFILE`. */
  require(name: string): Tool
}
