export type Figure = {
  readonly name: string
  readonly value: number | null
  readonly unit: string
  readonly reference: string
  readonly bar: number | null
  readonly holds: boolean | null
  readonly exact: boolean
}

export function figure(
  told: Pick<Figure, 'name' | 'unit' | 'reference'> & {
    readonly value: number
    readonly bar?: number | null
    readonly atMost?: boolean
    readonly exact?: boolean
  },
): Figure
export function notMeasured(told: Pick<Figure, 'name' | 'unit' | 'bar'> & { readonly why: string }): Figure
export function isMissed(figure: Figure, times: number): boolean
export function median(values: readonly number[]): number
