/** The kinds of contracts whose calldata is read. */
export type Surface =
  | 'v2Router'
  | 'v3PositionManager'
  | 'v3SwapRouter02'
  | 'v4PositionManager'
  | 'universalRouter'
  | 'wrappedNative'
  | 'twammHook'
  | 'identityRegistry'
  | 'handleRegistry'
  | 'rewardDistributor'
