/** How many requests may still be made of an endpoint, by all that share them. */
export function createRequestBudget(most: number): RequestBudget {
  let spent = 0
  return {
    take() {
      if (spent >= most) throw new Error('The budget of requests is spent.')
      spent += 1
    },
    spent: () => spent,
    left: () => most - spent,
  }
}

export type RequestBudget = {
  /** To be called before each request; throws once none is left. */
  take(): void
  spent(): number
  left(): number
}
