// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {CrossChainSettler} from "./CrossChainSettler.sol";

/// A settler that does one thing it should not, for tests of what looks at settlers.
contract OddSettler is CrossChainSettler {
    using SafeERC20 for IERC20;

    enum Oddity {
        None,
        /// `resolve` names half of the output.
        ResolvesLess,
        /// `resolve` names somebody else as the recipient.
        ResolvesElsewhere,
        /// `open` takes what was allowed, and announces half of the output.
        OpensLess,
        /// `open` takes what was allowed, and announces nothing.
        OpensSilently,
        /// `fill` pays half and counts as filled.
        FillsLess,
        /// `fill` pays nothing and counts as filled.
        FillsNothing
    }

    Oddity public oddity;

    constructor() CrossChainSettler(msg.sender) {}

    function setOddity(Oddity oddity_) external {
        oddity = oddity_;
    }

    function open(OnchainCrossChainOrder calldata order) external override {
        (ResolvedCrossChainOrder memory resolved, OrderData memory data) = _resolve(order, msg.sender);
        require(!isKnown[resolved.orderId], OrderExists());
        isKnown[resolved.orderId] = true;
        deposits[resolved.orderId] = Deposit(msg.sender, data.inputToken, data.inputAmount, order.fillDeadline);
        IERC20(data.inputToken).safeTransferFrom(msg.sender, address(this), data.inputAmount);
        if (oddity == Oddity.OpensSilently) return;
        if (oddity == Oddity.OpensLess) resolved.maxSpent[0].amount /= 2;
        emit Open(resolved.orderId, resolved);
    }

    function resolve(OnchainCrossChainOrder calldata order)
        external
        view
        override
        returns (ResolvedCrossChainOrder memory resolved)
    {
        (resolved,) = _resolve(order, msg.sender);
        if (oddity == Oddity.ResolvesLess) resolved.maxSpent[0].amount /= 2;
        if (oddity == Oddity.ResolvesElsewhere) resolved.maxSpent[0].recipient = bytes32(uint256(uint160(address(this))));
    }

    function fill(bytes32 orderId, bytes calldata originData, bytes calldata) external override {
        RelayData memory relay = _requireFillable(orderId, originData);
        fillStatuses[orderId] = FILLED;
        uint256 amount = oddity == Oddity.FillsNothing
            ? 0
            : oddity == Oddity.FillsLess ? relay.outputAmount / 2 : relay.outputAmount;
        address recipient = address(uint160(uint256(relay.recipient)));
        IERC20 token = IERC20(address(uint160(uint256(relay.outputToken))));
        if (amount > 0) token.safeTransferFrom(msg.sender, recipient, amount);
        emit Filled(orderId, msg.sender, relay.recipient, relay.outputToken, relay.outputAmount);
    }
}
