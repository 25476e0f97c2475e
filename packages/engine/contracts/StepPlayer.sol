// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// Code that stands at a wallet's own address for the length of one eth_call and plays transactions one after the other
/// as that wallet: the caller each of them meets is the wallet itself. It is never deployed.
contract StepPlayer {
    struct Step {
        address to;
        uint256 value;
        bytes data;
    }

    struct Played {
        bool ok;
        uint256 gasUsed;
        uint256 balanceBefore;
        uint256 balanceAfter;
        bytes returnData;
    }

    function play(Step[] calldata steps) external returns (Played[] memory played) {
        played = new Played[](steps.length);
        for (uint256 i = 0; i < steps.length; i++) {
            uint256 balanceBefore = address(this).balance;
            uint256 gasBefore = gasleft();
            (bool ok, bytes memory returnData) = steps[i].to.call{value: steps[i].value}(steps[i].data);
            played[i] = Played(ok, gasBefore - gasleft(), balanceBefore, address(this).balance, returnData);
        }
    }

    receive() external payable {}

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }
}
