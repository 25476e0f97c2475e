import type { Dispatch } from './dispatch.ts'

/** A dispatch whose place another takes while the server serves. What is asked of it goes to the one that stands there then. */
export function createLateDispatch(first: Dispatch): Dispatch & { become(next: Dispatch): void } {
  let now = first
  const listeners: Parameters<Dispatch['watches']['listen']>[0][] = []
  return Object.freeze({
    // What is offered once, at the beginning of a session, stays as it was.
    tasks: null,
    list: (...asked: Parameters<Dispatch['list']>) => now.list(...asked),
    has: (name: string) => now.has(name),
    missingScope: (...asked: Parameters<Dispatch['missingScope']>) => now.missingScope(...asked),
    pictures: {
      list: (principalId: string) => now.pictures.list(principalId),
      read: (...asked: Parameters<Dispatch['pictures']['read']>) => now.pictures.read(...asked),
    },
    watches: {
      list: (...asked: Parameters<Dispatch['watches']['list']>) => now.watches.list(...asked),
      read: (...asked: Parameters<Dispatch['watches']['read']>) => now.watches.read(...asked),
      publish: (...asked: Parameters<Dispatch['watches']['publish']>) => now.watches.publish(...asked),
      listen: (listener: (typeof listeners)[number]) => {
        listeners.push(listener)
        now.watches.listen(listener)
      },
    },
    asksClient: (name: string) => now.asksClient(name),
    guides: () => now.guides(),
    call: (...asked: Parameters<Dispatch['call']>) => now.call(...asked),
    handle: (...asked: Parameters<Dispatch['handle']>) => now.handle(...asked),
    carryOutDue: (...asked: Parameters<Dispatch['carryOutDue']>) => now.carryOutDue(...asked),
    become(next: Dispatch) {
      now = next
      for (const listener of listeners) next.watches.listen(listener)
    },
  })
}
