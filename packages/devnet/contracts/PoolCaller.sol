// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

interface IToken {
    function transfer(address to, uint256 value) external returns (bool);
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
}

/// Calls a v3 pool itself, without a router, many times in one transaction, and pays from its own tokens what the pool asks for
/// in its callbacks. What a call may do is thus what the pool allows.
contract PoolCaller {
    address private immutable owner;
    /// The pool that may call back, set while calls run.
    address private activePool;

    error NotOwner();
    error UnknownCaller();
    error CallFailed(uint256 index, bytes reason);

    constructor() {
        owner = msg.sender;
    }

    /// All of the calls or none.
    function run(address pool, bytes[] calldata calls) external {
        if (msg.sender != owner) revert NotOwner();
        activePool = pool;
        for (uint256 i = 0; i < calls.length; i++) {
            (bool succeeded, bytes memory reason) = pool.call(calls[i]);
            if (!succeeded) revert CallFailed(i, reason);
        }
        activePool = address(0);
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        pay(amount0, amount1);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        pay(amount0 > 0 ? uint256(amount0) : 0, amount1 > 0 ? uint256(amount1) : 0);
    }

    /// `data` holds the two amounts to pay, which a flash loan may exceed what is owed by.
    function uniswapV3FlashCallback(uint256, uint256, bytes calldata data) external {
        (uint256 amount0, uint256 amount1) = abi.decode(data, (uint256, uint256));
        pay(amount0, amount1);
    }

    function pay(uint256 amount0, uint256 amount1) private {
        if (msg.sender != activePool) revert UnknownCaller();
        if (amount0 > 0) IToken(IPool(msg.sender).token0()).transfer(msg.sender, amount0);
        if (amount1 > 0) IToken(IPool(msg.sender).token1()).transfer(msg.sender, amount1);
    }
}
