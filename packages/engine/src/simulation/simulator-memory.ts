/**
 * Remembers for ten minutes which chains' endpoints lack `eth_simulateV1`, so that not every write asks in vain, and no
 * longer, so that an endpoint that has learned it is used. All endpoints of a chain have refused it when it is noted.
 */
export function createSimulatorMemory(now: () => number): SimulatorMemory {
  const lacksUntil = new Map<number, number>()
  return Object.freeze({
    lacksTracing: (chainId: number) => (lacksUntil.get(chainId) ?? 0) > now(),
    noteLack: (chainId: number) => void lacksUntil.set(chainId, now() + rememberedForMs),
  })
}

export type SimulatorMemory = {
  lacksTracing(this: void, chainId: number): boolean
  noteLack(this: void, chainId: number): void
}

const rememberedForMs = 10 * 60_000
