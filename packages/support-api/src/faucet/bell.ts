/** Wakes one waiter before its time. */
export function createBell(): Bell {
  let wake: (() => void) | null = null
  let isRung = false
  return {
    ring() {
      isRung = true
      wake?.()
    },
    async rung(forAtMostMs) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, forAtMostMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      wake = null
      isRung = false
    },
  }
}

export type Bell = { ring(): void; rung(forAtMostMs: number): Promise<void> }
