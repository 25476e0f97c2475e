/** A request to the endpoint: when it began and was answered, by any clock, and what it asked. */
export type Trip = { readonly from: number; readonly to: number; readonly methods: readonly string[] }

/** What is read of an answer to go on with. */
export type LivedAnswer = {
  readonly positionId: string
  readonly pool: { readonly poolAddress: string }
  readonly newPosition: { readonly positionId: string }
}

export declare function liveAsPosition(
  version: 'v2' | 'v3' | 'v4',
  life: {
    readonly call: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<LivedAnswer>
    readonly earn: (pool: string) => Promise<unknown>
  },
): Promise<void>
export declare function beyondOneEach(trips: readonly Trip[], transactions: readonly unknown[]): number
export declare function inSequence(trips: readonly Trip[]): number
export declare function withoutWaiting<Each extends Trip>(trips: readonly Each[]): readonly Each[]
