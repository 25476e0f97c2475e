// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";
import {StateLibrary} from "@uniswap/v4-core/src/libraries/StateLibrary.sol";
import {TickMath} from "@uniswap/v4-core/src/libraries/TickMath.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {BeforeSwapDelta, BeforeSwapDeltaLibrary} from "@uniswap/v4-core/src/types/BeforeSwapDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolId} from "@uniswap/v4-core/src/types/PoolId.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";

/// A v4 hook for orders that sell at a constant rate until they expire (time-weighted average market maker). Simplified: orders
/// of both directions cross at the pool's price, and the rest is one swap for each stretch of time in which no order ends. It
/// works before anybody trades or changes liquidity, and when asked. Tokens alone: no pool of native currency.
contract TwammHook {
    using StateLibrary for IPoolManager;

    struct OrderKey {
        address owner;
        uint160 expiration;
        bool zeroForOne;
    }

    struct Order {
        uint256 sellRate;
        uint256 earningsFactorLast;
    }

    /// All orders of one direction. Earnings are per unit of sell rate, times 2^96.
    struct OrderPool {
        uint256 sellRate;
        uint256 earningsFactor;
        mapping(uint256 expiration => uint256) sellRateEnding;
        mapping(uint256 expiration => uint256) earningsFactorAt;
    }

    struct State {
        uint256 lastTimestamp;
        mapping(bool zeroForOne => OrderPool) pools;
        mapping(bytes32 orderId => Order) orders;
    }

    event SubmitOrder(
        PoolId indexed poolId,
        address indexed owner,
        uint160 expiration,
        bool zeroForOne,
        uint256 sellRate,
        uint256 earningsFactorLast
    );
    /// With the rate and the earnings factor that the order has from now on; a rate of 0 ends it.
    event UpdateOrder(
        PoolId indexed poolId,
        address indexed owner,
        uint160 expiration,
        bool zeroForOne,
        uint256 sellRate,
        uint256 earningsFactorLast
    );

    error CannotModifyCompletedOrder(OrderKey orderKey);
    error ExpirationLessThanBlocktime(uint256 expiration);
    error ExpirationNotOnInterval(uint256 expiration);
    error InvalidAmountDelta(OrderKey orderKey, int256 amountDelta);
    error MustBeOwner(address owner, address sender);
    error NotInitialized();
    error OnlyPoolManager();
    error OrderAlreadyExists(OrderKey orderKey);
    error OrderDoesNotExist(OrderKey orderKey);
    error SellRateCannotBeZero();
    error TokensOnly();

    /// Orders expire at multiples of this many seconds.
    uint256 public constant expirationInterval = 1 hours;

    IPoolManager private immutable manager;
    mapping(PoolId poolId => State) private states;
    mapping(Currency currency => mapping(address owner => uint256)) public tokensOwed;

    modifier onlyManager() {
        if (msg.sender != address(manager)) revert OnlyPoolManager();
        _;
    }

    constructor(IPoolManager manager_) {
        manager = manager_;
    }

    /// Sells `amountIn` less what does not divide by the seconds that are left. The caller owns the order.
    function submitOrder(PoolKey calldata key, OrderKey calldata orderKey, uint256 amountIn)
        external
        returns (bytes32 orderId)
    {
        if (orderKey.owner != msg.sender) revert MustBeOwner(orderKey.owner, msg.sender);
        if (orderKey.expiration <= block.timestamp) revert ExpirationLessThanBlocktime(orderKey.expiration);
        if (orderKey.expiration % expirationInterval != 0) revert ExpirationNotOnInterval(orderKey.expiration);
        executeTWAMMOrders(key);
        State storage state = states[key.toId()];
        orderId = keccak256(abi.encode(orderKey));
        if (state.orders[orderId].sellRate != 0) revert OrderAlreadyExists(orderKey);
        uint256 duration = orderKey.expiration - block.timestamp;
        uint256 sellRate = amountIn / duration;
        if (sellRate == 0) revert SellRateCannotBeZero();
        OrderPool storage pool = state.pools[orderKey.zeroForOne];
        pool.sellRate += sellRate;
        pool.sellRateEnding[orderKey.expiration] += sellRate;
        state.orders[orderId] = Order(sellRate, pool.earningsFactor);
        Currency sold = orderKey.zeroForOne ? key.currency0 : key.currency1;
        require(IERC20(Currency.unwrap(sold)).transferFrom(msg.sender, address(this), sellRate * duration));
        emit SubmitOrder(
            key.toId(), msg.sender, orderKey.expiration, orderKey.zeroForOne, sellRate, pool.earningsFactor
        );
    }

    /// Puts what the order has earned where `claimTokens` finds it. With a delta of -1 the order ends, and what is not sold yet
    /// is put there, too; an order past its expiration ends anyway.
    function updateOrder(PoolKey calldata key, OrderKey calldata orderKey, int256 amountDelta)
        external
        returns (uint256 owed0, uint256 owed1)
    {
        if (orderKey.owner != msg.sender) revert MustBeOwner(orderKey.owner, msg.sender);
        if (amountDelta != 0 && amountDelta != -1) revert InvalidAmountDelta(orderKey, amountDelta);
        executeTWAMMOrders(key);
        (uint256 earned, uint256 unsold) = settleOrder(key.toId(), orderKey, amountDelta != 0);
        (owed0, owed1) = orderKey.zeroForOne ? (unsold, earned) : (earned, unsold);
        tokensOwed[key.currency0][msg.sender] += owed0;
        tokensOwed[key.currency1][msg.sender] += owed1;
    }

    /// Pays out what is owed to the caller; 0 asks for all of it.
    function claimTokens(Currency currency, address to, uint256 amountRequested) external returns (uint256 amount) {
        amount = tokensOwed[currency][msg.sender];
        if (amountRequested != 0 && amountRequested < amount) amount = amountRequested;
        tokensOwed[currency][msg.sender] -= amount;
        require(IERC20(Currency.unwrap(currency)).transfer(to, amount));
    }

    /// Brings the orders of a pool up to now.
    function executeTWAMMOrders(PoolKey memory key) public {
        uint256 last = states[key.toId()].lastTimestamp;
        if (last == 0) revert NotInitialized();
        if (last != block.timestamp) manager.unlock(abi.encode(key));
    }

    function unlockCallback(bytes calldata data) external onlyManager returns (bytes memory) {
        execute(abi.decode(data, (PoolKey)));
        return "";
    }

    function beforeInitialize(address, PoolKey calldata key, uint160) external onlyManager returns (bytes4) {
        if (key.currency0.isAddressZero()) revert TokensOnly();
        states[key.toId()].lastTimestamp = block.timestamp;
        return IHooks.beforeInitialize.selector;
    }

    function beforeAddLiquidity(address, PoolKey calldata key, ModifyLiquidityParams calldata, bytes calldata)
        external
        onlyManager
        returns (bytes4)
    {
        execute(key);
        return IHooks.beforeAddLiquidity.selector;
    }

    function beforeRemoveLiquidity(address, PoolKey calldata key, ModifyLiquidityParams calldata, bytes calldata)
        external
        onlyManager
        returns (bytes4)
    {
        execute(key);
        return IHooks.beforeRemoveLiquidity.selector;
    }

    function beforeSwap(address, PoolKey calldata key, SwapParams calldata, bytes calldata)
        external
        onlyManager
        returns (bytes4, BeforeSwapDelta, uint24)
    {
        execute(key);
        return (IHooks.beforeSwap.selector, BeforeSwapDeltaLibrary.ZERO_DELTA, 0);
    }

    function getOrder(PoolKey calldata key, OrderKey calldata orderKey) external view returns (Order memory) {
        return states[key.toId()].orders[keccak256(abi.encode(orderKey))];
    }

    function getOrderPool(PoolKey calldata key, bool zeroForOne)
        external
        view
        returns (uint256 sellRateCurrent, uint256 earningsFactorCurrent)
    {
        OrderPool storage pool = states[key.toId()].pools[zeroForOne];
        return (pool.sellRate, pool.earningsFactor);
    }

    function lastVirtualOrderTimestamp(PoolId poolId) external view returns (uint256) {
        return states[poolId].lastTimestamp;
    }

    function settleOrder(PoolId poolId, OrderKey calldata orderKey, bool isCancelled)
        private
        returns (uint256 earned, uint256 unsold)
    {
        State storage state = states[poolId];
        OrderPool storage pool = state.pools[orderKey.zeroForOne];
        bytes32 orderId = keccak256(abi.encode(orderKey));
        Order memory order = state.orders[orderId];
        if (order.sellRate == 0) revert OrderDoesNotExist(orderKey);
        bool isOver = orderKey.expiration <= block.timestamp;
        if (isOver && isCancelled) revert CannotModifyCompletedOrder(orderKey);
        uint256 factor = isOver ? pool.earningsFactorAt[orderKey.expiration] : pool.earningsFactor;
        earned = FullMath.mulDiv(factor - order.earningsFactorLast, order.sellRate, 1 << 96);
        if (isCancelled) {
            unsold = order.sellRate * (orderKey.expiration - block.timestamp);
            pool.sellRate -= order.sellRate;
            pool.sellRateEnding[orderKey.expiration] -= order.sellRate;
        }
        uint256 sellRate = isOver || isCancelled ? 0 : order.sellRate;
        if (sellRate == 0) delete state.orders[orderId];
        else state.orders[orderId].earningsFactorLast = factor;
        emit UpdateOrder(poolId, msg.sender, orderKey.expiration, orderKey.zeroForOne, sellRate, factor);
    }

    /// From the last time to now, with a stop wherever an order ends. Runs within the manager's lock.
    function execute(PoolKey memory key) private {
        State storage state = states[key.toId()];
        uint256 from = state.lastTimestamp;
        if (from == block.timestamp) return;
        // Before anything is moved: a token may call back.
        state.lastTimestamp = block.timestamp;
        OrderPool storage zero = state.pools[true];
        OrderPool storage one = state.pools[false];
        for (uint256 at = from; at < block.timestamp && zero.sellRate + one.sellRate > 0;) {
            at += expirationInterval - (at % expirationInterval);
            if (at < block.timestamp && zero.sellRateEnding[at] + one.sellRateEnding[at] == 0) continue;
            uint256 to = at < block.timestamp ? at : block.timestamp;
            sell(key, zero, one, to - from);
            from = to;
            if (at > block.timestamp) return;
            zero.sellRate -= zero.sellRateEnding[at];
            one.sellRate -= one.sellRateEnding[at];
            zero.earningsFactorAt[at] = zero.earningsFactor;
            one.earningsFactorAt[at] = one.earningsFactor;
        }
    }

    function sell(PoolKey memory key, OrderPool storage zero, OrderPool storage one, uint256 duration) private {
        (uint160 sqrtPriceX96,,,) = manager.getSlot0(key.toId());
        (uint256 sold0, uint256 sold1) = (zero.sellRate * duration, one.sellRate * duration);
        uint256 worth1 = convert(sold0, sqrtPriceX96, 1 << 96);
        uint256 earned0 = sold0;
        uint256 earned1 = sold1;
        if (worth1 >= sold1) {
            earned0 = convert(sold1, 1 << 96, sqrtPriceX96);
            earned1 += swap(key, true, sold0 - earned0);
        } else {
            earned1 = worth1;
            earned0 += swap(key, false, sold1 - worth1);
        }
        if (sold0 > 0) zero.earningsFactor += FullMath.mulDiv(earned1, 1 << 96, zero.sellRate);
        if (sold1 > 0) one.earningsFactor += FullMath.mulDiv(earned0, 1 << 96, one.sellRate);
    }

    function convert(uint256 amount, uint256 above, uint256 below) private pure returns (uint256) {
        return FullMath.mulDiv(FullMath.mulDiv(amount, above, below), above, below);
    }

    /// What a pool without liquidity does not take stays here, unclaimed.
    function swap(PoolKey memory key, bool zeroForOne, uint256 amountIn) private returns (uint256 amountOut) {
        if (amountIn == 0) return 0;
        uint160 limit = zeroForOne ? TickMath.MIN_SQRT_PRICE + 1 : TickMath.MAX_SQRT_PRICE - 1;
        BalanceDelta delta = manager.swap(key, SwapParams(zeroForOne, -int256(amountIn), limit), "");
        (int128 paid, int128 taken) =
            zeroForOne ? (delta.amount0(), delta.amount1()) : (delta.amount1(), delta.amount0());
        (Currency sold, Currency bought) =
            zeroForOne ? (key.currency0, key.currency1) : (key.currency1, key.currency0);
        manager.sync(sold);
        require(IERC20(Currency.unwrap(sold)).transfer(address(manager), uint256(-int256(paid))));
        manager.settle();
        amountOut = uint256(int256(taken));
        manager.take(bought, address(this), amountOut);
    }
}
