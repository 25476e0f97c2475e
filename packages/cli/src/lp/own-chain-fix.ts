/** How a chain that is not built in is made known, whatever its id. */
export const ownChainFix =
  'A chain of your own is known by its row in the file that SVC_CHAINS_FILE names (docs/analytics.md); where that is not set, the chain ' +
  'of a local world by --data-dir with its directory, which `npm start` shows as "data", while it runs.'
