// What came to the wallet and what left it, as members of results say it; with a hash, in that transaction.

export const came = (symbol, amount, hash) => ({ symbol, amount, hash })

export const left = (symbol, amount, hash) => ({ symbol, amount: `-${amount}`, hash })

/** Whether the calls come from where the route says. */
export function takesRoute(held, tool, { notes }, isBuilt) {
  held.agree(`${tool} is built by the trading API`, notes.includes(builtNote), isBuilt)
}

const builtNote = 'The calls were built by the trading API and checked here.'
