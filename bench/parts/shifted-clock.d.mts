export declare function openShiftedClock(file: string, ahead?: number): ShiftedClock

export type ShiftedClock = {
  /** For `NODE_OPTIONS` of the program that is to go by it. */
  readonly nodeOptions: string
  readonly putOn: (ms: number) => void
}
