/** A gate that a test holds: whoever comes to it says so and waits; once released it stays open. */
export function holding() {
  const entered = signal()
  const released = signal()
  return {
    /** Resolves when somebody has come to the gate. */
    entered: entered.given,
    release: released.give,
    pass: () => {
      entered.give()
      return released.given
    },
  }
}

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => (give = resolve))
  return { given, give }
}
