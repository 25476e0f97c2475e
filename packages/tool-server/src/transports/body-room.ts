/**
 * Memory for bodies that are on their way. The first bytes of each are its connection's own, so that a plain call always has them; what is beyond
 * is had from a room that all share: else a thousand clients that send large bodies slowly would hold a thousand large bodies.
 */
export function createBodyRoom(bytes: number): BodyRoom {
  let free = bytes
  return {
    open() {
      let had = 0
      return {
        holds(received) {
          const more = Math.max(0, received - ownBytes) - had
          if (more > free) return false
          had += more
          free -= more
          return true
        },
        close() {
          free += had
          had = 0
        },
      }
    },
  }
}

export type BodyRoom = {
  /** For one body. */
  open(): {
    /** Whether there is room for it now that so many bytes of it have come. */
    holds(received: number): boolean
    /** Gives back what it had. */
    close(): void
  }
}

const ownBytes = 16_384
