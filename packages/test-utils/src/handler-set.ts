import type { RequestHandler } from 'msw'

/** Handlers to spread into `createTestServer`, and beside them the hold on what they remember. */
export type HandlerSet<Controls> = readonly RequestHandler[] & Controls

export function handlerSet<Controls extends object>(
  handlers: readonly RequestHandler[],
  controls: Controls,
): HandlerSet<Controls> {
  return Object.assign([...handlers], controls)
}
