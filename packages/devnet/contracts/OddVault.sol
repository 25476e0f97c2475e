// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// An ERC-4626 vault without protection of any kind that does whatever it is told to, for tests of what must be seen through: a fee
/// that no preview tells, previews that lie, a waiting queue for those who leave, requests as in ERC-7540, figures that cannot be.
contract OddVault is ERC4626 {
    struct Oddity {
        /// Kept of each deposit, in shares, and taken for each mint, in the asset, beside what previews say.
        uint256 depositFeeBps;
        /// Kept of what is paid out, beside what previews say.
        uint256 redeemFeeBps;
        /// What previews of deposits say, of the truth.
        uint256 previewBps;
        /// What a mint makes, of the shares asked for.
        uint256 mintBps;
        /// Whether nobody may leave.
        bool isClosed;
        /// Whether deposits and redemptions are requests: previews revert, and ERC-165 says so.
        bool isAsync;
        /// Said in place of the truth where it is not 0.
        uint256 falseTotal;
        uint8 falseDecimals;
        uint256 falseMaxDeposit;
        /// What it takes and pays out in place of its asset, where it is not zero.
        address falseAsset;
        /// What a deposit reverts with where it is not empty.
        string refusal;
    }

    Oddity public oddity;

    constructor(IERC20 asset_, string memory name_) ERC4626(asset_) ERC20(name_, name_) {
        (oddity.previewBps, oddity.mintBps) = (10_000, 10_000);
    }

    function setOddity(Oddity calldata oddity_) external {
        oddity = oddity_;
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        if (id == 0x01ffc9a7) return true;
        return oddity.isAsync && (id == 0xce3bbe50 || id == 0x620ee8e4 || id == 0xe3bc4e65);
    }

    function decimals() public view override returns (uint8) {
        return oddity.falseDecimals == 0 ? super.decimals() : oddity.falseDecimals;
    }

    function asset() public view override returns (address) {
        return oddity.falseAsset == address(0) ? super.asset() : oddity.falseAsset;
    }

    function totalAssets() public view override returns (uint256) {
        return oddity.falseTotal == 0 ? super.totalAssets() : oddity.falseTotal;
    }

    function maxDeposit(address receiver) public view override returns (uint256) {
        return oddity.falseMaxDeposit == 0 ? super.maxDeposit(receiver) : oddity.falseMaxDeposit;
    }

    function maxRedeem(address owner) public view override returns (uint256) {
        return oddity.isClosed ? 0 : super.maxRedeem(owner);
    }

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        require(!oddity.isAsync);
        return super.previewDeposit(assets) * oddity.previewBps / 10_000;
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        require(!oddity.isAsync);
        return super.previewRedeem(shares);
    }

    function deposit(uint256 assets, address receiver) public override returns (uint256 shares) {
        if (bytes(oddity.refusal).length > 0) revert(oddity.refusal);
        shares = super.previewDeposit(assets);
        shares -= shares * oddity.depositFeeBps / 10_000;
        _deposit(msg.sender, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) public override returns (uint256 assets) {
        if (bytes(oddity.refusal).length > 0) revert(oddity.refusal);
        assets = super.previewMint(shares);
        assets += assets * oddity.depositFeeBps / 10_000;
        _deposit(msg.sender, receiver, assets, shares * oddity.mintBps / 10_000);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256 assets) {
        require(shares <= maxRedeem(owner), "closed");
        assets = super.previewRedeem(shares);
        assets -= assets * oddity.redeemFeeBps / 10_000;
        _withdraw(msg.sender, receiver, owner, assets, shares);
    }
}
