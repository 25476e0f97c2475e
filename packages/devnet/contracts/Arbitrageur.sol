// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

interface IToken {
    function transfer(address to, uint256 value) external returns (bool);
}

interface IPairV2 {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IPoolV3 {
    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
    function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManagerV4 {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function extsload(bytes32 slot) external view returns (bytes32);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

/// What arbitrageurs do on a live chain, in one contract: it swaps each listed pool back to the edge of a band around a
/// market price when the pool has left it, and leaves it alone otherwise. It trades its own inventory.
contract Arbitrageur {
    struct Venue {
        /// 2, 3 or 4.
        uint8 version;
        /// Half width of the band on the price, in basis points.
        uint16 bandBps;
        /// The pair or the v3 pool; unused for v4.
        address pool;
        PoolKey key;
    }

    /// Slot of the mapping of pools in the v4 PoolManager.
    bytes32 private constant V4_POOLS_SLOT = bytes32(uint256(6));

    IPoolManagerV4 private immutable poolManager;
    address private immutable owner;
    Venue[] private venues;
    /// The v3 pool that may call back, set while a swap runs.
    address private activePool;

    error NotOwner();
    error UnknownCaller();

    constructor(address poolManager_) {
        poolManager = IPoolManagerV4(poolManager_);
        owner = msg.sender;
    }

    receive() external payable {}

    function addVenues(Venue[] calldata added) external {
        if (msg.sender != owner) revert NotOwner();
        for (uint256 i = 0; i < added.length; i++) venues.push(added[i]);
    }

    /// Brings every venue into its band. `marketSqrtPricesX96[i]` is the market's price for venue i; 0 leaves it out.
    function arbitrage(uint160[] calldata marketSqrtPricesX96) external {
        if (msg.sender != owner) revert NotOwner();
        for (uint256 i = 0; i < marketSqrtPricesX96.length; i++) {
            if (marketSqrtPricesX96[i] != 0) align(venues[i], marketSqrtPricesX96[i]);
        }
    }

    function align(Venue storage venue, uint256 market) private {
        // The band is on the price, so half of it is on the square root of the price.
        uint160 lower = uint160(market * (20_000 - venue.bandBps) / 20_000);
        uint160 upper = uint160(market * (20_000 + venue.bandBps) / 20_000);
        uint160 current = sqrtPrice(venue);
        if (current > upper) swapTo(venue, true, upper);
        else if (current < lower) swapTo(venue, false, lower);
    }

    function sqrtPrice(Venue storage venue) private view returns (uint160 price) {
        if (venue.version == 3) {
            (price,,,,,,) = IPoolV3(venue.pool).slot0();
        } else if (venue.version == 4) {
            bytes32 id = keccak256(abi.encode(venue.key));
            price = uint160(uint256(poolManager.extsload(keccak256(abi.encode(id, V4_POOLS_SLOT)))));
        } else {
            (uint256 reserve0, uint256 reserve1,) = IPairV2(venue.pool).getReserves();
            price = uint160(sqrt((reserve1 << 96) / reserve0) << 48);
        }
    }

    function swapTo(Venue storage venue, bool zeroForOne, uint160 limit) private {
        if (venue.version == 3) {
            activePool = venue.pool;
            IPoolV3(venue.pool).swap(
                address(this),
                zeroForOne,
                type(int128).max,
                limit,
                abi.encode(venue.key.currency0, venue.key.currency1)
            );
            activePool = address(0);
        } else if (venue.version == 4) {
            poolManager.unlock(abi.encode(venue.key, zeroForOne, limit));
        } else {
            swapPair(venue, zeroForOne, limit);
        }
    }

    /// With x * y = k, the reserve of token0 at a price p is sqrt(k / p).
    function swapPair(Venue storage venue, bool zeroForOne, uint160 limit) private {
        (uint256 reserve0, uint256 reserve1,) = IPairV2(venue.pool).getReserves();
        uint256 root = sqrt(reserve0 * reserve1);
        (uint256 reserveIn, uint256 reserveOut, uint256 wanted) = zeroForOne
            ? (reserve0, reserve1, (root << 96) / limit)
            : (reserve1, reserve0, (root * limit) >> 96);
        if (wanted <= reserveIn) return;
        uint256 amountIn = wanted - reserveIn;
        uint256 withFee = amountIn * 997;
        uint256 amountOut = withFee * reserveOut / (reserveIn * 1000 + withFee);
        if (amountOut == 0) return;
        IToken(zeroForOne ? venue.key.currency0 : venue.key.currency1).transfer(venue.pool, amountIn);
        IPairV2(venue.pool).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, address(this), "");
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        if (msg.sender != activePool) revert UnknownCaller();
        (address token0, address token1) = abi.decode(data, (address, address));
        if (amount0 > 0) IToken(token0).transfer(msg.sender, uint256(amount0));
        if (amount1 > 0) IToken(token1).transfer(msg.sender, uint256(amount1));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(poolManager)) revert UnknownCaller();
        (PoolKey memory key, bool zeroForOne, uint160 limit) = abi.decode(data, (PoolKey, bool, uint160));
        int256 delta = poolManager.swap(key, SwapParams(zeroForOne, -int256(type(int128).max), limit), "");
        square(key.currency0, int128(delta >> 128));
        square(key.currency1, int128(delta));
        return "";
    }

    /// Pays what is owed to the PoolManager, or takes what it owes.
    function square(address currency, int256 delta) private {
        if (delta > 0) {
            poolManager.take(currency, address(this), uint256(delta));
        } else if (delta < 0 && currency == address(0)) {
            poolManager.settle{value: uint256(-delta)}();
        } else if (delta < 0) {
            poolManager.sync(currency);
            IToken(currency).transfer(address(poolManager), uint256(-delta));
            poolManager.settle();
        }
    }

    /// Integer square root, rounded down (Babylonian method).
    function sqrt(uint256 value) private pure returns (uint256 root) {
        if (value == 0) return 0;
        root = 1 << (log2(value) / 2 + 1);
        while (true) {
            uint256 next = (root + value / root) / 2;
            if (next >= root) return root;
            root = next;
        }
    }

    function log2(uint256 value) private pure returns (uint256 bits) {
        while (value > 1) {
            value >>= 1;
            bits++;
        }
    }
}
