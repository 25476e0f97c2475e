// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that anybody mints and that makes a call of somebody's choice in the middle of each transfer out of an account, as hostile
/// tokens do to enter a contract a second time.
contract HookedToken is ERC20 {
    uint8 private immutable _decimals;
    address private _hook;
    bytes private _call;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) ERC20(name_, symbol_) {
        _decimals = decimals_;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function approveFor(address owner, address spender, uint256 value) external {
        _approve(owner, spender, value);
    }

    /// What is called before the next transfer, once.
    function setHook(address hook, bytes calldata call_) external {
        (_hook, _call) = (hook, call_);
    }

    function _update(address from, address to, uint256 value) internal override {
        address hook = _hook;
        if (hook != address(0) && from != address(0)) {
            _hook = address(0);
            (bool ok,) = hook.call(_call);
            require(ok, "hook");
        }
        super._update(from, to, value);
    }
}
