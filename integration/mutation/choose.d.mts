export declare function sample<Item>(items: readonly Item[], count: number, seed: number): Item[]

export declare function chooseTests(args: {
  readonly source: string
  readonly reaching: ReadonlySet<string>
  readonly importing: ReadonlyMap<string, number>
  readonly durations: ReadonlyMap<string, number>
  readonly withinMs: number
}): { readonly tests: readonly string[]; readonly leftOut: number }
