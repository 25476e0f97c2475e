/** What the public subgraphs of v3 and v4 tell of pools, as far as this project asks it; arguments as their node makes them. */
export const poolSchema = `
  ${scalars()}
  type Query {
    _meta: Meta
    pools(first: Int = 100, skip: Int = 0, orderBy: PoolOrder, orderDirection: OrderDirection, where: PoolFilter): [Pool!]!
    poolHourDatas(first: Int = 100, skip: Int = 0, orderBy: HourOrder, orderDirection: OrderDirection, where: HourFilter): [PoolHourData!]!
    poolDayDatas(first: Int = 100, skip: Int = 0, orderBy: DayOrder, orderDirection: OrderDirection, where: DayFilter): [PoolDayData!]!
  }
  enum PoolOrder { id createdAtTimestamp totalValueLockedUSD volumeUSD feesUSD txCount }
  enum HourOrder { id periodStartUnix }
  enum DayOrder { id date }
  input PoolFilter {
    id: ID id_gt: ID token0: String token1: String token0_in: [String!] token1_in: [String!]
    totalValueLockedUSD_gte: BigDecimal volumeUSD_gte: BigDecimal or: [PoolFilter!] and: [PoolFilter!]
  }
  input HourFilter { id_gt: ID pool: String periodStartUnix_gt: Int periodStartUnix_gte: Int periodStartUnix_lt: Int }
  input DayFilter { id_gt: ID pool: String date_gt: Int date_gte: Int date_lt: Int }
  type Pool {
    id: ID! createdAtTimestamp: BigInt! token0: Token! token1: Token! feeTier: BigInt! liquidity: BigInt! sqrtPrice: BigInt!
    tick: BigInt token0Price: BigDecimal! token1Price: BigDecimal! volumeUSD: BigDecimal! feesUSD: BigDecimal!
    txCount: BigInt! totalValueLockedUSD: BigDecimal! tickSpacing: BigInt hooks: String
  }
  type PoolHourData { id: ID! periodStartUnix: Int! pool: Pool! ${period()} }
  type PoolDayData { id: ID! date: Int! pool: Pool! ${period()} }
`

/** The same of the subgraph of v2. */
export const pairSchema = `
  ${scalars()}
  type Query {
    _meta: Meta
    pairs(first: Int = 100, skip: Int = 0, orderBy: PairOrder, orderDirection: OrderDirection, where: PairFilter): [Pair!]!
    pairHourDatas(first: Int = 100, skip: Int = 0, orderBy: HourOrder, orderDirection: OrderDirection, where: HourFilter): [PairHourData!]!
    pairDayDatas(first: Int = 100, skip: Int = 0, orderBy: DayOrder, orderDirection: OrderDirection, where: DayFilter): [PairDayData!]!
  }
  enum PairOrder { id createdAtTimestamp reserveUSD volumeUSD txCount }
  enum HourOrder { id hourStartUnix }
  enum DayOrder { id date }
  input PairFilter {
    id: ID id_gt: ID token0: String token1: String token0_in: [String!] token1_in: [String!]
    reserveUSD_gte: BigDecimal volumeUSD_gte: BigDecimal or: [PairFilter!] and: [PairFilter!]
  }
  input HourFilter { id_gt: ID pair: String hourStartUnix_gt: Int hourStartUnix_gte: Int hourStartUnix_lt: Int }
  input DayFilter { id_gt: ID pairAddress: String date_gt: Int date_gte: Int date_lt: Int }
  type Pair {
    id: ID! createdAtTimestamp: BigInt! token0: Token! token1: Token! reserve0: BigDecimal! reserve1: BigDecimal!
    reserveUSD: BigDecimal! token0Price: BigDecimal! token1Price: BigDecimal! volumeUSD: BigDecimal! txCount: BigInt!
  }
  type PairHourData {
    id: ID! hourStartUnix: Int! pair: Pair! reserve0: BigDecimal! reserve1: BigDecimal! reserveUSD: BigDecimal!
    hourlyVolumeToken0: BigDecimal! hourlyVolumeToken1: BigDecimal! hourlyVolumeUSD: BigDecimal! hourlyTxns: BigInt!
  }
  type PairDayData {
    id: ID! date: Int! pairAddress: String! reserve0: BigDecimal! reserve1: BigDecimal! reserveUSD: BigDecimal!
    dailyVolumeToken0: BigDecimal! dailyVolumeToken1: BigDecimal! dailyVolumeUSD: BigDecimal! dailyTxns: BigInt!
  }
`

function scalars(): string {
  return `
    scalar BigInt
    scalar BigDecimal
    enum OrderDirection { asc desc }
    type Meta { block: Block! deployment: String! hasIndexingErrors: Boolean! }
    type Block { number: Int! timestamp: Int hash: String }
    type Token { id: ID! symbol: String! name: String! decimals: BigInt! }
  `
}

function period(): string {
  return `
    liquidity: BigInt! sqrtPrice: BigInt! token0Price: BigDecimal! token1Price: BigDecimal! tick: BigInt
    open: BigDecimal! high: BigDecimal! low: BigDecimal! close: BigDecimal! tvlUSD: BigDecimal!
    volumeToken0: BigDecimal! volumeToken1: BigDecimal! volumeUSD: BigDecimal! feesUSD: BigDecimal! txCount: BigInt!
  `
}
